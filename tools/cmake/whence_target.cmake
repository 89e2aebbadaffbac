# How every target of the project is compiled: warnings, sanitizers, include root, precompiled headers.
# Usage requirements travel on the interface target `whence_options`; there are no global flags.
add_library(whence_options INTERFACE)
target_compile_features(whence_options INTERFACE cxx_std_20)
target_include_directories(whence_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(whence_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
# g++ collects its garbage only beyond 1 GiB: a tenth of the time it takes.
target_compile_options(whence_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1048576>)
if(WHENCE_SANITIZE)
  target_compile_options(whence_options INTERFACE -fsanitize=${WHENCE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(whence_options INTERFACE -fsanitize=${WHENCE_SANITIZE})
  target_compile_definitions(whence_options INTERFACE WHENCE_SANITIZED)  # read by tests: bounds of time and memory do not hold here
  # g++ says so of each fence of Boost.Asio, which has no other way.
  target_compile_options(whence_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)  # clang 14 cannot assemble its prologue data in split coroutines
    target_compile_options(whence_options INTERFACE -fno-sanitize=function)
  endif()
endif()

# Read by most files through one header or another, and a third of what compiling them costs. Every file still includes
# what it uses: `tools/check alone` compiles each header by itself without this file. Measured and left out as no gain: Boost.JSON and
# this project's headers; Asio and Beast, whose own file takes as long to make as it saves.
set(whence_precompiled
  <algorithm> <array> <chrono> <functional> <map> <memory> <mutex> <optional> <ostream> <set> <span> <sstream> <string> <string_view>
  <unordered_map> <utility> <variant> <vector> <boost/system/result.hpp>)

# whence_sources(VAR): every source below the current folder. A new file needs no line anywhere: the build tool looks
# for files that came or went before each build (CONFIGURE_DEPENDS).
function(whence_sources var)
  file(GLOB_RECURSE found CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  set(${var} ${found} PARENT_SCOPE)
endfunction()

# whence_unity(NAME FILES): where WHENCE_UNITY is on, so many of the target's files are compiled at a time.
function(whence_unity name files)
  if(NOT WHENCE_UNITY)
    return()
  endif()
  set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${files})
  # g++ takes every file that a unity file includes for a header, and warns of types without linkage in it.
  target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# whence_library(NAME [SOURCES generated...] LINK targets... PRIVATE_LINK targets...): one folder's static library, made of
# every source below it.
function(whence_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;PRIVATE_LINK" ${ARGN})
  whence_sources(sources)
  add_library(${name} STATIC ${sources} ${ARG_SOURCES})
  # Who links the installed library has options of their own.
  target_link_libraries(${name} PUBLIC $<BUILD_INTERFACE:whence_options> ${ARG_LINK} PRIVATE ${ARG_PRIVATE_LINK})
  if(name STREQUAL whence_schema)  # below all others, which use its file
    target_precompile_headers(${name} PRIVATE ${whence_precompiled})
  else()
    target_precompile_headers(${name} REUSE_FROM whence_schema)
  endif()
  whence_unity(${name} 24)
endfunction()

# whence_test(FOLDER LINK targets... [APART name suites...] [UNITY]): one Boost.Test program made of every source below the folder,
# run by ctest under the folder's label. All share one `main` and one precompiled header, those of whence_test_main
# (tests/CMakeLists.txt). APART: these suites (without those after a `!`) are a test of their own, `FOLDER_name`, which runs beside the others. SEQUENTIAL:
# in these one call waits for the other, so that the build with ThreadSanitizer leaves them out. UNITY: the
# files name what they define differently (tests/house checks it), so that they may be compiled together where WHENCE_UNITY is on.
function(whence_test folder)
  cmake_parse_arguments(ARG "UNITY" "" "LINK;APART;SEQUENTIAL" ${ARGN})
  set(name ${folder}_tests)
  whence_sources(sources)
  add_executable(${name} ${sources})
  target_link_libraries(${name} PRIVATE whence_test_main ${ARG_LINK})
  target_precompile_headers(${name} REUSE_FROM whence_test_main)
  if(ARG_UNITY)
    whence_unity(${name} 12)
  endif()
  set(tests ${folder})
  set(left_out)
  if(WHENCE_SANITIZE STREQUAL thread)
    list(TRANSFORM ARG_SEQUENTIAL PREPEND --run_test=! OUTPUT_VARIABLE left_out)
  endif()
  if(ARG_APART)
    list(POP_FRONT ARG_APART part)
    list(TRANSFORM ARG_APART PREPEND --run_test= OUTPUT_VARIABLE apart)
    list(FILTER ARG_APART EXCLUDE REGEX "^!")
    list(TRANSFORM ARG_APART PREPEND --run_test=! OUTPUT_VARIABLE rest)
    list(APPEND tests ${folder}_${part})
    add_test(NAME ${folder}_${part} COMMAND ${name} --color_output=no ${apart} ${left_out})
  endif()
  add_test(NAME ${folder} COMMAND ${name} --color_output=no ${rest} ${left_out})
  set_tests_properties(${tests} PROPERTIES LABELS ${folder} TIMEOUT 900)
endfunction()
