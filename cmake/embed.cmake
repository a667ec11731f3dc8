# wick_embed(HEADER file...): writes generated/HEADER with a constant for the
# text of each file: svg_script.js becomes kSvgScriptJs. Comments that take whole
# lines are left out.
#
# wick_embed_page(HEADER STYLE PAGE module...): the same for the viewer. The
# modules are joined into one script, kViewerJs: a module stands behind those
# that it imports, and since all of them share one scope, `import` and `export`
# are left out and no two may declare the same name (tests/browser checks both).
# kViewerJsSha256 and kViewerCssSha256 are what the page's policy allows.

function(wick_strip_comments text out)
  string(REGEX REPLACE "(^|\n)( *//[^\n]*\n)+" "\\1" text "${text}")
  string(REGEX REPLACE "(^|\n) */\\*([^*]|\\*+[^*/])*\\*+/\n" "\\1" text "${text}")
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

function(wick_read path out)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  file(READ ${path} text)
  wick_strip_comments("${text}" text)
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

function(wick_constant name text out)
  set(${out} "inline constexpr std::string_view ${name} = R\"wick(${text})wick\";\n" PARENT_SCOPE)
endfunction()

function(wick_write_header header code)
  set(code "// Made by cmake/embed.cmake.\n#pragma once\n#include <string_view>\nnamespace wick {\n${code}}  // namespace wick\n")
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/${header} CONTENT "@code@" @ONLY)
endfunction()

function(wick_embed header)
  set(code "")
  foreach(path IN LISTS ARGN)
    wick_read(${path} text)
    get_filename_component(name ${path} NAME)
    string(REGEX MATCHALL "[a-z0-9]+" words ${name})
    set(constant k)
    foreach(word IN LISTS words)
      string(SUBSTRING ${word} 0 1 first)
      string(SUBSTRING ${word} 1 -1 others)
      string(TOUPPER ${first} first)
      string(APPEND constant ${first}${others})
    endforeach()
    wick_constant(${constant} "${text}" line)
    string(APPEND code "${line}")
  endforeach()
  wick_write_header(${header} "${code}")
endfunction()

function(wick_embed_page header style page)
  wick_read(${style} style)
  wick_read(${page} page)
  set(script "")
  foreach(path IN LISTS ARGN)
    wick_read(${path} text)
    string(REGEX REPLACE "(^|\n)import [^;]*;" "\\1" text "${text}")
    string(REGEX REPLACE "(^|\n)export " "\\1" text "${text}")
    string(APPEND script "${text}")
  endforeach()
  set(script "'use strict';\n(() => {\n${script}})();\n")
  string(SHA256 style_hash "${style}")
  string(SHA256 script_hash "${script}")
  set(code "")
  foreach(pair kViewerCss=style kViewerHtml=page kViewerJs=script
      kViewerCssSha256=style_hash kViewerJsSha256=script_hash)
    string(REPLACE "=" ";" pair ${pair})
    list(GET pair 0 constant)
    list(GET pair 1 variable)
    wick_constant(${constant} "${${variable}}" line)
    string(APPEND code "${line}")
  endforeach()
  wick_write_header(${header} "${code}")
endfunction()
