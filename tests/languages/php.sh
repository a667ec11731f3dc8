# SPDX-License-Identifier: Apache-2.0
# PHP: with the JIT and its map, the function that runs has its name. PHP calls its
# functions without the machine's stack, so there are no callers.
. "$SOURCE/tests/languages/lib.bash"
need php
php -m | grep -q OPcache || skip 'PHP has no OPcache'
need_recording

cat >busy.php <<'PHP'
<?php
function three() { $sum = 0; for ($i = 0; $i < 300e6; $i++) $sum = ($sum + ($i ^ $sum)) & 65535; return $sum; }
function one() { $sum = 0; for ($i = 0; $i < 100e6; $i++) $sum = ($sum + ($i ^ $sum)) & 65535; return $sum; }
echo three() + one(), "\n";
PHP
# OPcache ignores files of the last two seconds.
touch -d '1 minute ago' busy.php

cat >slow.php <<'PHP'
<?php
for ($sum = 0, $i = 0; $i < 20e6; $i++) $sum = ($sum + ($i ^ $sum)) & 65535;
PHP
flame 'without a JIT' php slow.php
hidden 'PHP'

flame 'with a JIT' php -d opcache.enable_cli=1 -d opcache.jit=function \
  -d opcache.jit_buffer_size=64M -d opcache.jit_debug=0x10 busy.php
shown 'PHP'
three_to_one 'PHP' 'JIT\$three$' 'JIT\$one$'
finish
