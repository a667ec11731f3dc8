# Programs that run from files that are gone or that only they see: deleted and
# replaced while they run, in another root or another mount namespace.
. "$(dirname "$0")/lib.bash"
"$WICK" doctor | grep -q '^NO' && skip 'the kernel does not allow recording'
command -v gcc >/dev/null || skip 'there is no gcc'
[ "$(id -u)" = 0 ] || skip 'only root may follow /proc/PID/map_files'

cat >library.c <<'C'
volatile unsigned long sum;
__attribute__((noinline)) static void compute(long n) {
  for (long i = 0; i < n; i++) sum += i * i;
  sum++;
}
void library_work(void) {
  compute(1000000);
  sum++;
}
C
cat >server.c <<'C'
#include <stdlib.h>
void library_work(void);
int calls;
__attribute__((noinline)) void serve(void) {
  library_work();
  calls++;
}
int main(int argc, char** argv) {
  for (long i = argc > 1 ? atol(argv[1]) : 1L << 40; i > 0; i--) serve();
}
C
build() { # build VERSION FOLDER: ./FOLDER/server with its library, and one without
  mkdir -p "$2"
  gcc -O1 -fomit-frame-pointer -DV="$1" -shared -fPIC -Wl,--build-id=0x"$1$1" \
    -o "$2/libwork.so" library.c
  gcc -O1 -fomit-frame-pointer -Wl,--build-id=0x"$1" -o "$2/server" server.c \
    -L"$2" -lwork -Wl,-rpath,"$PWD/v1"
  gcc -O1 -fomit-frame-pointer -Wl,--build-id=0x"${1}ff" -static \
    -o "$2/static-server" server.c library.c
}
build 11223344 v1
build 55667788 v2

# The one that runs; each test ends its own.
server=
trap 'kill $server 2>/dev/null' EXIT
stop() {
  kill $server
  wait $server 2>/dev/null
  server=
}
# wait_for PID PROGRAM: waits until it has executed the program.
wait_for() {
  until [ "$(cat /proc/"$1"/comm 2>/dev/null)" = "${2:0:15}" ]; do
    kill -0 "$1" 2>/dev/null || { complain "$2 has ended"; return; }
    sleep 0.01
  done
}
# On a busy machine, interrupts are below.
serve='main;serve;library_work;compute(;asm_[^ ]*)? [0-9]+$'
# whole WHAT FOLDED REGEX: nine samples in ten have the whole stack.
whole() {
  regex=$3 awk '
    { all += $NF } $0 ~ ENVIRON["regex"] { good += $NF }
    END { exit all == 0 || good < 0.9 * all }' \
    <<<"$2" || complain "$1: $(sort -nr -k2 <<<"$2" | head -3)"
}
record() { "$WICK" record -q -F 997 --duration 0.3 "$@"; }
fold() { "$WICK" fold -q "$@"; }

# Deleted, program and library.
v1/server &
server=$! deleted=$!
wait_for $deleted server
rm v1/server v1/libwork.so
record -p $deleted -o deleted.data
whole 'deleted, -p' "$(fold deleted.data)" "^server;.*$serve"
record -a -o deleted-all.data
whole 'deleted, -a' "$(fold deleted-all.data | grep '^server;')" "^server;.*$serve"

# Replaced by another build.
cp v2/libwork.so v2/server v1/
record -p $deleted -o replaced.data
whole 'replaced, -p' "$(fold replaced.data)" "^server;.*$serve"
record -p $deleted --call-graph fp -o replaced-fp.data
has 'replaced, by frame pointers' "$(fold replaced-fp.data)" ';compute [0-9]'

# perf's recording, read while the server still runs.
if command -v perf >/dev/null &&
  perf record -q -F 997 -g --call-graph dwarf,4096 -p $deleted -o perf.data -- \
    sleep 0.3 2>/dev/null; then
  whole 'replaced, by perf' "$(fold perf.data)" "^server;.*$serve"
fi
stop
# The recordings have kept what the process led to.
for name in deleted deleted-all replaced; do
  whole "$name, after its end" "$(fold $name.data | grep '^server;')" \
    "^server;.*$serve"
done

# Replaced by a copy of itself: its functions are the same.
strip -o stripped-server v2/static-server
./stripped-server &
server=$!
wait_for $server stripped-server
record -p $server -o before.data
cp stripped-server copy
mv copy stripped-server
record -p $server -o after.data
difference=$("$WICK" diff --user-only before.data after.data 2>&1)
has 'replaced by a copy, its name' "$difference" '\[stripped-server\+0x'
has 'replaced by a copy' "$difference" '0 new, 0 gone'
[[ $difference != *deleted* ]] || complain "replaced by a copy: $difference"
stop

# Executed from memory.
cat >launch.c <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>
int main(int argc, char** argv) {
  int from = open(argv[argc - 1], O_RDONLY), to = memfd_create("hidden", MFD_CLOEXEC);
  while (sendfile(to, from, 0, 1 << 20) > 0);
  fexecve(to, argv + 1, environ);
}
C
gcc -O1 -o launch launch.c
objcopy -R .note.gnu.build-id v2/static-server static-without-id
chmod 755 launch static-without-id
for program in v2/static-server ./static-without-id; do
  ./launch $program &
  server=$!
  until [[ $(readlink /proc/$server/exe) == /memfd:* ]]; do sleep 0.01; done
  record -p $server -o memory.data
  stop
  whole "$program in memory, -p" "$(fold memory.data)" "$serve"
  has "$program in memory, its module" \
    "$("$WICK" report -q --by module memory.data 2>&1)" ' memfd:hidden'
  "$WICK" record -q -F 997 -o memory.data -- \
    timeout --preserve-status -s KILL 0.3 ./launch $program 2>/dev/null
  whole "$program in memory, as a child" "$(fold memory.data | grep ';main;')" "$serve"
done

# Without rights to its mappings the program itself is still found.
is_nobody_in=
if let_nobody_in; then
  is_nobody_in=1
  cp v2/static-server owned
  chmod 755 owned
  "${nobody[@]}" ./owned &
  server=$!
  wait_for $server owned
  rm owned
  "${nobody[@]}" "$WICK" record -q -F 997 --duration 0.3 -p $server \
    -o tmp/owned.data &&
    whole 'deleted, as another user' \
      "$("${nobody[@]}" "$WICK" fold -q tmp/owned.data)" "^owned;.*$serve"
  stop
  "${nobody[@]}" ./launch ./static-without-id &
  server=$!
  until [[ $(readlink /proc/$server/exe) == /memfd:* ]]; do sleep 0.01; done
  "${nobody[@]}" "$WICK" record -q -F 997 --duration 0.3 -p $server \
    -o tmp/memory.data &&
    whole 'in memory, as another user' \
      "$("${nobody[@]}" "$WICK" fold -q tmp/memory.data)" "$serve"
  stop
fi

# Stacks that end where a file could not be read: the reason is that, and not code
# without rules.
if [ -n "$is_nobody_in" ]; then
  chmod -R a+rX v1 v2
  "${nobody[@]}" v1/server &
  server=$!
  wait_for $server server
  rm v1/libwork.so
  said=$("${nobody[@]}" "$WICK" record -F 997 --duration 0.3 -p $server \
    -o tmp/forbidden.data 2>&1)
  stop
  has 'a deleted library, as another user' "$said" \
    'stacks end in files that this user cannot read \(.*libwork.so\); root'
  [[ $said != *'without unwind rules'* ]] || complain "a deleted library: $said"

  # A program that has been deleted before it was opened. Without rights, wick
  # looks some fifty times a second.
  cat >tmp/short.sh <<'S'
for i in 1 2 3 4 5 6 7 8 9 10; do
  cp v2/static-server tmp/new
  mv tmp/new tmp/short
  tmp/short 4
  rm -f tmp/short
done
S
  said=$("${nobody[@]}" "$WICK" record -F 4999 -o tmp/short.data -- \
    sh tmp/short.sh 2>&1)
  folded=$("${nobody[@]}" "$WICK" fold -q --comm short tmp/short.data)
  if [[ $folded == *'[short'* ]]; then
    for text in "$said" "$("$WICK" report tmp/short.data 2>&1)"; do
      has 'short programs that are gone' "$text" \
        'in (a file that was|files that were) deleted or replaced before'
    done
  fi
fi

# With rights, it is opened when it is executed.
cat >short.sh <<'S'
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  cp v2/static-server new
  mv new short
  ./short 4
  rm -f short
done
S
# The first one, too. On a busy machine wick may come too late, and says so.
for attempt in 1 2 3 4 5; do
  said=$("$WICK" record -F 4999 -o short.data -- sh short.sh 2>&1)
  folded=$(fold --comm short --user-only short.data)
  cut=$(grep -cvE '^short;(.*;)?(main|_start|_dl_|__libc)' <<<"$folded")
  [ "$cut" = 0 ] || has 'short programs that are cut' "$said" 'stacks? ends? '
  [ "$cut" != 0 ] || break
done
whole 'short programs' "$folded" '^short;(.*;)?(main|_start|_dl_|__libc)'

# A root or a mount namespace of its own: the file has another name for everybody
# else, or none.
mkdir -p jail/bin jail/mnt
cp v2/static-server jail/bin/served
cat >inside.sh <<'S'
[ "$1" = chroot ] && exec chroot jail /bin/served
mount -t tmpfs none jail/mnt
mkdir -p jail/mnt/bin jail/mnt/old jail/mnt/upper jail/mnt/work jail/mnt/all
cp jail/bin/served jail/mnt/bin/
case $1 in
mount) exec jail/mnt/bin/served ;;
mount-and-chroot) exec chroot jail/mnt /bin/served ;;
pivot)
  cd jail/mnt
  pivot_root . old
  exec /bin/served
  ;;
overlay)
  mount -t overlay none jail/mnt/all \
    -o lowerdir=jail,upperdir=jail/mnt/upper,workdir=jail/mnt/work || exit
  exec chroot jail/mnt/all /bin/served
  ;;
esac
S
# The server as a child of what is recorded, until it has used 0.2 s of CPU time.
cat >parent.sh <<'S'
"$@" &
echo $! >child.pid
while kill -0 $! && ticks=$(cut -d ' ' -f 14 /proc/$!/stat) && [ "$ticks" -lt 20 ]; do
  sleep 0.05
done 2>/dev/null
S
# In another mount namespace, the kernel gives paths from the root of that. A user
# who may not follow the mappings finds them below the root of the process.
if [ -n "$is_nobody_in" ] && unshare -m true 2>/dev/null; then
  gcc -O1 -fomit-frame-pointer -o served server.c -Lv2 -lwork -Wl,-rpath,/lib
  cat >as-nobody.sh <<'S'
mount -t tmpfs none jail/mnt
mkdir -p jail/mnt/bin jail/mnt/lib
cp served jail/mnt/bin/
cp v2/libwork.so jail/mnt/lib/
cp -L --parents $(ldd served | grep -o '/[^ ]*') jail/mnt
chmod -R a+rX jail/mnt
exec chroot --userspec=65534:65534 jail/mnt /bin/served
S
  unshare -m bash as-nobody.sh &
  server=$!
  wait_for $server served
  "${nobody[@]}" "$WICK" record -q -F 997 --duration 0.3 -p $server \
    -o tmp/chroot.data
  stop
  whole 'chroot in a mount namespace, as another user' \
    "$("${nobody[@]}" "$WICK" fold -q tmp/chroot.data)" "^served;.*$serve"
fi

for way in chroot mount mount-and-chroot pivot overlay; do
  enter=(unshare -m)
  [ $way != chroot ] || enter=()
  [ $way = chroot ] || unshare -m true 2>/dev/null ||
    skip_rest 'mount namespaces cannot be made'
  "$WICK" record -q -o child.data -- \
    bash parent.sh "${enter[@]}" bash inside.sh $way
  server=$(cat child.pid)
  if [ $way = overlay ] && ! kill -0 "$server" 2>/dev/null; then
    continue # it cannot be mounted here
  fi
  whole "$way, as a child" "$(fold child.data | grep '^served;')" "^served;.*$serve"
  record -p "$server" -o attached.data
  whole "$way, -p" "$(fold attached.data)" "^served;.*$serve"
  stop
  whole "$way, after its end" "$(fold attached.data)" "^served;.*$serve"
done
finish
