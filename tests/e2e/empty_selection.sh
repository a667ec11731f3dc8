# SPDX-License-Identifier: Apache-2.0
# A selection that leaves nothing is one error in all commands and formats, which
# says what there is. It may run beside others.
. "$(dirname "$0")/lib.bash"
cat >two.txt <<'T'
alpha 11/11 10.000: 250000 cpu-clock:
	2 parse (/bin/alpha)
	1 main (/bin/alpha)

beta 22/23 11.500: 250000 cpu-clock:
	4 [unknown] (/bin/gzip)
	3 main (/bin/beta)

T
said="^wick: no sample is of 'gamma'; there are samples of alpha, beta$"
formats=$("$WICK" formats | sed -n '/^Output/,/^$/ s/^  \([a-z0-9-]\+\) .*/\1/p')
has 'the output formats' "$formats" 'folded.*svg.*text.*wick'
for format in $formats; do
  expect 1 "$said" convert --comm gamma --to "$format" -o out two.txt
  [ ! -e out ] || complain "$format: an empty selection writes a file"
done
expect 1 "$said" fold --comm gamma two.txt
expect 1 "$said" report --comm gamma two.txt
expect 1 "$said" flame --comm gamma -o out.svg two.txt
expect 1 "^wick: two.txt: no sample is of 'gamma'" diff --comm gamma two.txt two.txt
expect 1 "^wick: two.txt: no sample is of 'gamma'" \
  diff --comm gamma --fail-on 'main>+2%' two.txt two.txt

expect 1 'no sample is of process 9; there are samples of 11 \(alpha\), 22 \(beta\)' \
  fold --only-pid 9 two.txt
expect 1 'no sample is of thread 22; there are samples of 11 \(alpha\), 23 \(beta\)' \
  fold --only-tid 22 two.txt
expect 1 'samples are from 0.000 to 1.500 s \(@10.000..11.500' fold --time 7..8 two.txt
expect 1 "there is no event 'faults'; the input has cpu-clock" \
  fold --event faults two.txt
expect 1 "no stack has a function that matches 'x'; the hottest functions are" \
  fold --focus x two.txt
expect 1 "no stack has the function 'x'; the hottest functions are" \
  fold --base x two.txt
expect 1 "no stack has the function 'x'; the hottest functions are" \
  fold --skip-after x two.txt
expect 1 'no stack has a kernel frame' fold --kernel-only two.txt

# The hottest function is hot at several addresses, which convert keeps apart.
for address in 11 12 13; do
  printf 'alpha 11/11 12.0: 100 cpu-clock:\n\t%s spread (/bin/alpha)\n\n' $address
done >three.txt
printf 'alpha 11/11 12.0: 200 cpu-clock:\n\t20 once (/bin/alpha)\n\n' >>three.txt
for command in fold 'convert --to pprof'; do
  expect 1 'the hottest functions are spread, once$' \
    $command --focus x -o out three.txt
done

# Code without a name can be selected by the name that it is shown under.
same 'the base is a module' "$("$WICK" fold -q --base '[gzip]' two.txt)" \
  '[gzip] 250000'
finish
