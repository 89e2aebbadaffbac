# How every target of the project is compiled: warnings, sanitizers, include root, precompiled headers.
# Usage requirements travel on the interface target `whence_options`; there are no global flags.
add_library(whence_options INTERFACE)
target_compile_features(whence_options INTERFACE cxx_std_20)
target_include_directories(whence_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(whence_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
if(WHENCE_SANITIZE)
  target_compile_options(whence_options INTERFACE -fsanitize=${WHENCE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(whence_options INTERFACE -fsanitize=${WHENCE_SANITIZE})
endif()

# whence_library(NAME SOURCES... LINK targets...): one folder's static library.
function(whence_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;PRIVATE_LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC whence_options ${ARG_LINK} PRIVATE ${ARG_PRIVATE_LINK})
endfunction()

# whence_test(FOLDER SOURCES... LINK targets...): one Boost.Test program per folder, run by ctest under the folder's label.
function(whence_test folder)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  set(name ${folder}_tests)
  set(main ${CMAKE_CURRENT_BINARY_DIR}/main.cpp)
  file(CONFIGURE OUTPUT ${main} CONTENT "#define BOOST_TEST_MODULE ${folder}\n#include <boost/test/unit_test.hpp>\n")
  set_source_files_properties(${main} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  add_executable(${name} ${main} ${ARG_SOURCES})
  target_compile_definitions(${name} PRIVATE BOOST_TEST_DYN_LINK)
  target_link_libraries(${name} PRIVATE whence_options Boost::unit_test_framework ${ARG_LINK})
  if(NOT WHENCE_SANITIZE)
    target_precompile_headers(${name} PRIVATE <boost/test/unit_test.hpp> <boost/test/data/test_case.hpp> <boost/test/data/monomorphic.hpp>)
  endif()
  add_test(NAME ${folder} COMMAND ${name} --color_output=no)
  set_tests_properties(${folder} PROPERTIES LABELS ${folder} TIMEOUT 900)
endfunction()
