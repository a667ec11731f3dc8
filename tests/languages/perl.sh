# SPDX-License-Identifier: Apache-2.0
# Perl writes no map: wick says that it shows the interpreter only, and draws what
# NYTProf counted.
. "$SOURCE/tests/languages/lib.bash"
need perl
need_recording
flame 'Perl' perl -e 'for my $i (1 .. 2e7) { $s = ($s + ($i ^ $s)) & 65535 }'
hidden 'Perl'

cat >busy.pl <<'PERL'
sub spin { my $sum = 0; for my $i (1 .. $_[0]) { $sum = ($sum + ($i ^ $sum)) & 65535 } $sum }
sub three { spin(900_000) }
sub one { spin(300_000) }
three() + one() for 1 .. 2;
PERL
perl -d:NYTProf -e 1 2>/dev/null && command -v nytprofcalls >/dev/null ||
  skip_rest 'there is no Devel::NYTProf'
perl -d:NYTProf busy.pl || complain 'NYTProf failed'
nytprofcalls nytprof.out | "$WICK" fold >folded || complain 'nytprofcalls failed'
three_to_one 'Perl by NYTProf' 'main::three;main::spin' 'main::one;main::spin'
finish
