# SPDX-License-Identifier: Apache-2.0
# Ruby: 3.1 writes no map, so wick says that it shows the interpreter only.
. "$SOURCE/tests/languages/lib.bash"
need ruby
need_recording
flame 'Ruby' ruby -e 's = 0; 1.upto(10_000_000) { |i| s = (s + (i ^ s)) & 65535 }'
hidden 'Ruby'
finish
