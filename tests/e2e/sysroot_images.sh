# SPDX-License-Identifier: Apache-2.0
# --sysroot takes a directory, a disk image or an initramfs, with the same
# result; damaged images do no harm and leave nothing behind.
# It may run beside others.
. "$(dirname "$0")/lib.bash"
PATH=$PATH:/usr/sbin:/sbin
plugin=$SOURCE/build/qemu/wick-trace.so
libraries=/usr/riscv64-linux-gnu/lib
command -v qemu-riscv64 >/dev/null || skip "qemu-riscv64 is not installed"
command -v riscv64-linux-gnu-g++ >/dev/null || skip "no riscv64-linux-gnu-g++"
command -v mke2fs >/dev/null || skip "there is no mke2fs"
command -v cpio >/dev/null || skip "there is no cpio"
[ -e "$plugin" ] || skip "$plugin is not built: make qemu-plugin"

# A root file system as buildroot makes it, and its images.
source=$SOURCE/tests/e2e/programs/riscv_counts.cc
mkdir -p root/usr/bin root/usr/lib/debug/.build-id root/etc
riscv64-linux-gnu-g++ -O2 -static -pthread "$source" -o root/usr/bin/static &&
  riscv64-linux-gnu-g++ -O2 -g -fPIE -pie -pthread -Wl,--build-id=sha1 \
    "$source" -o root/usr/bin/pie ||
  skip "the cross compiler cannot link these programs"
cp -L $libraries/{ld-linux-riscv64-lp64d.so.1,lib{c,m}.so.6,libstdc++.so.6,libgcc_s.so.1} root/usr/lib
ln -s usr/lib root/lib
ln -s ../usr/bin/pie root/etc/link
ln root/usr/bin/static root/usr/bin/other-name
echo text >root/etc/passwd
for program in static pie; do
  qemu-riscv64 -L root -plugin "$plugin,out=$program.trace" \
    "root/usr/bin/$program" >/dev/null || complain "$program does not run"
  # What stock TracerV has of it.
  python3 "$SOURCE/tests/tools/wick_trace.py" "$program.trace" "$program-C"
done
id=$(readelf -n root/usr/bin/pie | sed -n 's/ *Build ID: //p')
mkdir "root/usr/lib/debug/.build-id/${id:0:2}"
riscv64-linux-gnu-objcopy --only-keep-debug root/usr/bin/pie \
  "root/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"
riscv64-linux-gnu-strip root/usr/bin/pie

for kind in ext2 ext3 ext4; do
  mke2fs -q -t $kind -d root image.$kind 48m >said 2>&1 ||
    complain "no $kind: $(cat said)"
done
mke2fs -q -t ext4 -b 1024 -O ^extents,^64bit,^metadata_csum -d root old.ext4 48m \
  >said 2>&1 || complain "no ext4 without extents: $(cat said)"
(cd root && find . | sort | cpio -o -H newc --quiet) >image.cpio
gzip -c image.cpio >image.cpio.gz
xz -c -T1 image.cpio >image.cpio.xz
zstd -q -c image.cpio >image.cpio.zst
# Microcode comes first in the archives of distributions.
(cd root && echo etc/passwd | cpio -o -H newc --quiet && cat ../image.cpio.gz) >two.cpio
# A disk: its first partition, at 1 MiB, has the file system.
python3 - <<'PYTHON'
import struct
system = open("image.ext4", "rb").read()
table = bytearray(1 << 20)
table[446:462] = struct.pack("<B3xB3xII", 0, 0x83, 2048, len(system) // 512)
table[510:512] = b"\x55\xaa"
open("disk.img", "wb").write(table + system)
PYTHON

fold() { "$WICK" fold --no-cache "$1" --sysroot "$2" 2>said; }
for trace in static.trace pie.trace static-C0 pie-C0; do
  fold "$trace" root >wanted
  cp said wanted.said
  has "$trace in a directory" "$(cat wanted)" 'main;'
  for image in image.{ext2,ext3,ext4,cpio,cpio.gz,cpio.xz,cpio.zst} old.ext4 two.cpio disk.img; do
    [ "${trace#*-C}" = "$trace" ] || [[ $image =~ ext4|gz ]] || continue
    fold "$trace" $image >got || complain "$trace, $image: $(cat said)"
    cmp -s got wanted || complain "$trace: $image gives other stacks than the directory"
    cmp -s said wanted.said || complain "$trace, $image: $(cat said)"
  done
done
# Debug files, modules and lines are found inside, too.
lines() { "$WICK" report -q --no-cache pie.trace --sysroot "$1" --by line --top 50; }
lines root >wanted
has 'lines of a debug file' "$(cat wanted)" 'riscv_counts\.cc:[0-9]'
for image in image.ext4 image.cpio.gz; do
  same "lines from $image" "$(lines $image)" "$(cat wanted)"
done
same 'modules' \
  "$("$WICK" report -q --no-cache pie.trace --sysroot image.ext2 --by module)" \
  "$("$WICK" report -q --no-cache pie.trace --sysroot root --by module)"

# wick firesim finds the image by the workload's file, as FireSim does.
mkdir -p deploy/workloads/boot deploy/results-workload/2026-01-02--10-11-12-boot/boot0
results=deploy/results-workload/2026-01-02--10-11-12-boot
cp static.trace $results/boot0/TRACEFILE-C0
workload() {
  echo "{\"benchmark_name\": \"boot\", \"common_bootbinary\": \"b\", $1}" \
    >deploy/workloads/boot.json
  "$WICK" firesim $results --to folded --no-cache >out 2>said ||
    complain "firesim: $(cat out said)"
}
fold static.trace root >wanted
mv image.ext3 deploy/workloads/boot/br-base.img
mkdir images
workload '"common_rootfs": "br-base.img"'
has 'the image in use' "$(cat said)" "user programs from $PWD/deploy/workloads/boot/br-base.img"
same 'firesim' "$(cat $results/boot0/*.folded)" "$(cat wanted)"
mv deploy/workloads/boot/br-base.img images/br-base.img
workload '"common_rootfs": "../../../images/br-base.img"'
has 'another place' "$(cat said)" "user programs from $PWD/images/br-base.img"
workload '"common_rootfs": "elsewhere/no.img"'
has 'a missing image' "$(cat said)" 'elsewhere/no.img was not found'
workload '"common_rootfs": null'
[[ ! $(cat said) =~ root\ file\ system ]] || complain "null: $(cat said)"
workload '"common_rootfs": "x", "workloads": [{"name": "boot0", "rootfs": "../../../images/br-base.img"}]'
has 'the image of one job' "$(cat said)" "user programs from $PWD/images/br-base.img"
cp image.ext2 deploy/workloads/boot/boot0.ext2
workload '"x": 1'
has "FireSim's default" "$(cat said)" "user programs from $PWD/deploy/workloads/boot/boot0.ext2"
cp image.ext4 damaged
printf x | dd of=damaged bs=1 seek=1100 conv=notrunc 2>/dev/null
cp damaged deploy/workloads/boot/boot0.ext2
workload '"x": 1'
has 'a damaged image' "$(cat said)" 'user programs have no names: .*boot0.ext2: '

# Nothing that is damaged crashes, hangs or is taken for whole.
expect 1 '^wick: --sysroot: .*: is neither a directory' fold static.trace --sysroot "$source"
gzip -c image.ext2 >image.ext2.gz
expect 1 '^wick: --sysroot: .*decompress it first' fold static.trace --sysroot image.ext2.gz
cat >hurt.py <<'PYTHON'
"""Damages images in many ways and reads them."""
import random, subprocess, sys, time
wick, *images = sys.argv[1:]
random.seed(4)
for image in images:
    whole = open(image, "rb").read()
    busy = [i for i in range(0, min(len(whole), 1 << 20), 7) if whole[i]]
    for turn in range(12):
        data = bytearray(whole)
        if turn % 4 == 0:
            del data[random.randrange(len(data)):]
        for _ in range((1, 16, 400)[turn % 3]):
            at = random.choice(busy)
            if at < len(data) and turn:
                data[at] = random.choice((0, 255, data[at] ^ 1, random.randrange(256)))
        open("hurt", "wb").write(data)
        begun = time.monotonic()
        done = subprocess.run(
            [wick, "fold", "--no-cache", "static.trace", "--sysroot", "hurt"],
            capture_output=True, text=True, errors="replace", timeout=120)
        if done.returncode not in (0, 1) or "crash" in done.stderr:
            print(f"{image}, turn {turn}: {done.returncode} {done.stderr[-500:]}")
        if time.monotonic() - begun > 60:
            print(f"{image}, turn {turn}: takes too long")
PYTHON
python3 hurt.py "$WICK" image.ext2 image.ext4 image.cpio.gz >wrong
[ ! -s wrong ] || complain "damaged images: $(cat wrong)"
head -c $(($(stat -c %s image.cpio.gz) / 2)) image.cpio.gz >short.cpio.gz
fold static.trace short.cpio.gz >/dev/null
has 'a truncated archive' "$(cat said)" 'could not be read to its end.*truncated'

# Neither files nor processes stay, not even after SIGKILL.
"$WICK" fold --no-cache static.trace --sysroot image.cpio.xz >/dev/null 2>&1 &
sleep 0.3
kill -9 $! 2>/dev/null
wait 2>/dev/null
[ -z "$(ls -A tmp)" ] || complain "left behind: $(ls -A tmp)"
finish
