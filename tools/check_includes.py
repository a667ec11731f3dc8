#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reports #includes of src/ that a file does not need, and headers of the standard
library that it uses without including them.

Words decide, not a compiler (include-what-you-use of Debian 12 cannot parse
libstdc++ 12): a file needs a header of wick if it has one of the names that the
header declares, and a header of the standard library if it has one of the words
listed here. A .cc file may rely on what the header of the same name includes."""
import pathlib
import re
import sys

# A text in parentheses, or one without a comma.
ARGUMENT = r"(?:[^(),;]|\((?:[^()]|\([^()]*\))*\))+"
STANDARD = {
    "algorithm": r"std::(ranges::)?(sort|stable_sort|min|max|clamp|find|find_if|"
                 r"copy|copy_if|fill|fill_n|any_of|all_of|none_of|count|count_if|"
                 r"lower_bound|upper_bound|partition_point|equal|equal_range|"
                 r"reverse|rotate|unique|replace|transform|move_backward|"
                 r"nth_element|max_element|min_element|minmax|minmax_element|"
                 r"binary_search|push_heap|pop_heap|make_heap|for_each|mismatch|"
                 r"search|adjacent_find|is_sorted|lexicographical_compare|merge|"
                 r"partition|set_difference|set_intersection|set_union|includes|"
                 r"contains|starts_with|remove|remove_if|generate|shuffle|"
                 r"inplace_merge|stable_partition|find_if_not|find_last|"
                 r"find_first_of|find_end|swap_ranges|copy_n|partial_sort)\b"
                 r"|std::ranges::move\b|std::move\((?:" + ARGUMENT + r",){2}",
    "array": r"std::array\b",
    "atomic": r"std::(atomic|memory_order)",
    "charconv": r"std::(from_chars|to_chars)",
    "chrono": r"std::chrono\b",
    "condition_variable": r"std::condition_variable",
    "deque": r"std::deque\b",
    "filesystem": r"std::filesystem\b",
    "fstream": r"std::(i|o)?fstream\b",
    "functional": r"std::(function|hash|less|greater|plus|invoke|identity|ref|"
                  r"cref|not_fn|equal_to|ranges::less|ranges::greater)\b",
    "map": r"std::(multi)?map\b",
    "memory": r"std::(unique_ptr|shared_ptr|make_unique|make_shared|weak_ptr|"
              r"allocator|construct_at|destroy_at|align|addressof)\b",
    "mutex": r"std::(mutex|lock_guard|unique_lock|scoped_lock|call_once|once_flag)",
    "numeric": r"std::(accumulate|iota|gcd|lcm|reduce|inclusive_scan|"
               r"exclusive_scan|partial_sum|midpoint)\b",
    "optional": r"std::(optional|nullopt)\b",
    "queue": r"std::(queue|priority_queue)\b",
    "random": r"std::(mt19937|mt19937_64|uniform_int_distribution|random_device|"
              r"uniform_real_distribution|minstd_rand|normal_distribution|"
              r"poisson_distribution|bernoulli_distribution|default_random_engine)",
    "regex": r"std::regex",
    "set": r"std::(multi)?set\b",
    "span": r"std::(span|as_bytes|as_writable_bytes)\b",
    "sstream": r"std::(i|o)?stringstream\b",
    "thread": r"std::(jthread|thread|this_thread)\b",
    "tuple": r"std::(tuple|tie|make_tuple|apply|forward_as_tuple)\b",
    "unordered_map": r"std::unordered_map\b",
    "unordered_set": r"std::unordered_set\b",
    "variant": r"std::(variant|visit|get_if|holds_alternative|monostate)\b",
    "vector": r"std::vector\b",
}
# A word that two headers declare: it is no proof that one is needed, nor that it
# is not. That of one argument is in <utility>.
AMBIGUOUS = {"algorithm": r"std::move\b"}
# Using one of these is as good as using what it declares elsewhere.
ALWAYS = {"base/fuzz_target.h"}
DECLARED = (r"\b(?:class|struct|enum class|enum|union|using|concept)\s+(\w+)"
            r"|\b(k[A-Z]\w*)\b|#\s*define\s+(\w+)|\b(\w+)\s*\(|^\s+(\w+)(?:\s*=[^;\n]*)?,?\s*(?://.*)?$"
            r"|\bextern const \w+ (\w+)")
src, wrong = pathlib.Path(__file__).parents[1] / "src", 0


def code_of(path):
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", path.read_text(), flags=re.S)
    return re.sub(r"^\s*#\s*include[^\n]*", "", text, flags=re.M)


def includes_of(path):
    return re.findall(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]', path.read_text(), re.M)


def report(path, message):
    global wrong
    wrong += 1
    print(f"{path.relative_to(src.parent)}: {message}")


def all_includes(name, seen):
    """Of a header of wick, with those that it includes."""
    if name in seen or not (src / name).exists():
        return seen
    seen.add(name)
    for other in includes_of(src / name):
        all_includes(other, seen) if "/" in other else seen.add(other)
    return seen


declared = {path.relative_to(src).as_posix():
            {name for found in re.findall(DECLARED, code_of(path), re.M)
             for name in found if name} for path in src.rglob("*.h")}
for path in sorted([*src.rglob("*.h"), *src.rglob("*.cc")]):
    code, includes = code_of(path), includes_of(path)
    words = set(re.findall(r"\w+", code))
    own = re.sub(r"_(test|bench|fuzz)$", "", path.stem)
    own = path.relative_to(src).with_name(own + ".h").as_posix()
    known = set(includes)
    if path.suffix == ".cc" and own in includes:
        known |= all_includes(own, set())
    for name in includes:
        if name in declared and name != own and name not in ALWAYS:
            if not declared[name] & words:
                report(path, f"does not need {name}")
        elif name in STANDARD and not any(
                re.search(words_of[name], code)
                for words_of in (STANDARD, AMBIGUOUS) if name in words_of):
            report(path, f"does not need <{name}>")
    for name, pattern in STANDARD.items():
        found = name not in known and re.search(pattern, code)
        if found:
            report(path, f"uses {found[0]} without <{name}>")
sys.exit(wrong > 0)
