# A tracefs that is not mounted: root mounts it, and others learn how to.
. "$(dirname "$0")/lib.bash"
"$WICK" doctor | grep -q '^NO' && skip 'the kernel does not allow recording'
[ "$(id -u)" = 0 ] && [ -d /sys/kernel/tracing ] || skip 'only root mounts tracefs'
# without_tracefs COMMAND…: in a mount namespace that has no tracefs.
without_tracefs() {
  unshare -m bash -c 'mount --make-rprivate / &&
    while umount /sys/kernel/debug/tracing || umount /sys/kernel/tracing; do :; done 2>/dev/null
    [ ! -e /sys/kernel/tracing/events ] && "$@"' bash "$@"
}
without_tracefs true || skip 'tracefs cannot be unmounted here'

has 'what doctor says' "$(without_tracefs "$WICK" doctor)" \
  'ok   tracepoints can be used [^→]*mounts tracefs'
said=$(without_tracefs bash -c '"$0" flame -q --off-cpu -o off.folded -- sleep 0.05
  grep -c " /sys/kernel/tracing tracefs" /proc/mounts' "$WICK")
same 'tracefs is mounted' "$said" 1
has 'why it sleeps' "$(cat off.folded)" ';\[blocked\] [0-9]'
same 'where nothing is traced' "$(without_tracefs bash -c '
  "$0" record -q -o on.data -- true
  grep -c " /sys/kernel/tracing tracefs" /proc/mounts' "$WICK")" 0

let_nobody_in || skip_rest 'nobody may not run programs here'
has 'as nobody' "$(without_tracefs "${nobody[@]}" "$WICK" doctor)" \
  'tracepoints cannot be used.*mount -t tracefs -o mode=750,gid=65534 tracefs /sys/kernel/tracing'
finish
