# tools/check_includes.py: which headers a file is said to need.
# It may run beside others.
. "$(dirname "$0")/lib.bash"
command -v python3 >/dev/null || skip 'there is no python3'

mkdir -p tools src
cp "$SOURCE/tools/check_includes.py" tools

# says CODE: what the tool says about a header of these lines.
says() {
  printf '%s\n' "$@" >src/a.h
  python3 tools/check_includes.py
}

missing='src/a.h: uses std::move(begin(from), end(from), without <algorithm>'
same 'a cast' "$(says 'void f() { g(std::move(a), b(c, d), e); }')" ''
same 'a cast of a call' "$(says 'auto f() { return std::move(g(a, b, c)); }')" ''
same 'the algorithm' "$(says 'std::move(begin(from), end(from), to);')" "$missing"
same 'the algorithm of ranges' "$(says 'std::ranges::move(from, to);')" \
  'src/a.h: uses std::ranges::move without <algorithm>'
same 'another algorithm' "$(says 'std::sort(a, b);')" \
  'src/a.h: uses std::sort without <algorithm>'
same 'a needless header' "$(says '#include <algorithm>' 'int a;')" \
  'src/a.h: does not need <algorithm>'
finish
