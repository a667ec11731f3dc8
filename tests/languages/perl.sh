# SPDX-License-Identifier: Apache-2.0
# Perl writes no map: wick says that it shows the interpreter only.
. "$SOURCE/tests/languages/lib.bash"
need perl
need_recording
flame 'Perl' perl -e 'for my $i (1 .. 2e7) { $s = ($s + ($i ^ $s)) & 65535 }'
hidden 'Perl'
finish
