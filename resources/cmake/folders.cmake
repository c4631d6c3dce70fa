# tw_library(NAME FOLDER LINKS...): one static library of every source below FOLDER.
# EXCLUDE names sub-folders that are libraries of their own.
function(tw_library name folder)
  cmake_parse_arguments(ARG "" "" "LINKS;SYSTEM_LINKS;EXCLUDE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.cpp ${CMAKE_SOURCE_DIR}/${folder}/*.h)
  foreach(sub ${ARG_EXCLUDE})
    list(FILTER sources EXCLUDE REGEX "^${CMAKE_SOURCE_DIR}/${folder}/${sub}/")
  endforeach()
  set(compiled ${sources})
  list(FILTER compiled INCLUDE REGEX "\\.cpp$")
  if(NOT compiled)
    add_library(${name} INTERFACE)
    target_include_directories(${name} INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/generated)
    target_link_libraries(${name} INTERFACE ${ARG_LINKS} ${ARG_SYSTEM_LINKS})
    return()
  endif()
  add_library(${name} STATIC ${sources})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/generated)
  target_compile_options(${name} PRIVATE ${TW_WARNINGS})
  target_link_libraries(${name} PUBLIC ${ARG_LINKS} ${ARG_SYSTEM_LINKS})
endfunction()

# tw_table(TARGET FOLDER PREFIX TYPE HEADER OUT): writes a source with a function `TYPE_table()` that
# lists `PREFIX_<file name>()` of every .cpp in FOLDER: adding a file adds a row.
function(tw_table target folder prefix type header function_name)
  get_target_property(type_of_target ${target} TYPE)
  if(type_of_target STREQUAL INTERFACE_LIBRARY)
    return()
  endif()
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.cpp)
  list(SORT files)
  set(declarations "")
  set(rows "")
  foreach(file ${files})
    get_filename_component(stem ${file} NAME_WE)
    string(APPEND declarations "${type} const& ${prefix}_${stem}();\n")
    string(APPEND rows "      &${prefix}_${stem}(),\n")
  endforeach()
  set(out ${CMAKE_BINARY_DIR}/generated/${folder}/table.cpp)
  file(CONFIGURE OUTPUT ${out} CONTENT
"// Written by CMake from the files of @folder@.
#include \"@header@\"

namespace tw {
@declarations@
std::span<@type@ const* const> @function_name@() {
  static @type@ const* const rows[] = {
@rows@  };
  return rows;
}
}  // namespace tw
" @ONLY)
  target_sources(${target} PRIVATE ${out})
endfunction()

# tw_test_folder(FOLDER LINKS... [LABEL slow] [TIMEOUT s]): each *_test.cpp of tests/FOLDER is one Qt Test program.
function(tw_test_folder folder)
  cmake_parse_arguments(ARG "" "TIMEOUT" "LINKS" ${ARGN})
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/${folder}/*_test.cpp)
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  if(TW_SANITIZE)  # instrumented programs take many times as long
    math(EXPR ARG_TIMEOUT "${ARG_TIMEOUT} * 10")
  endif()
  foreach(file ${files})
    get_filename_component(stem ${file} NAME_WE)
    string(REPLACE "/" "_" flat ${folder})
    set(name ${flat}_${stem})
    add_executable(${name} ${file})
    set_target_properties(${name} PROPERTIES AUTOMOC ON RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    target_compile_options(${name} PRIVATE ${TW_WARNINGS})
    target_compile_definitions(${name} PRIVATE TW_SOURCE_DIR="${CMAKE_SOURCE_DIR}" TW_BINARY_DIR="${CMAKE_BINARY_DIR}")
    target_link_libraries(${name} PRIVATE Qt6::Test ${ARG_LINKS})
    add_test(NAME ${flat}/${stem} COMMAND ${name})
    set_tests_properties(${flat}/${stem} PROPERTIES TIMEOUT ${ARG_TIMEOUT}
      ENVIRONMENT "TW_VERIFY_PASSES=1;QT_QPA_PLATFORM=offscreen;TW_CACHE_DIR=${CMAKE_BINARY_DIR}/test_cache;QTEST_DISABLE_STACK_DUMP=1")
    if(stem MATCHES "slow")
      set_tests_properties(${flat}/${stem} PROPERTIES LABELS slow COST 0)
    else()
      set_tests_properties(${flat}/${stem} PROPERTIES COST 100)
    endif()
  endforeach()
endfunction()
