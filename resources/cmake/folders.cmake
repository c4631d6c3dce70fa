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
  tw_compile_together_later(${name})
endfunction()

# tw_optimize(TARGETS...): those whose loops a user waits for: interpreters, simulators, models of caches, runtimes.
function(tw_optimize)
  foreach(target ${ARGN})
    if(TARGET ${target})
      target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O2>)
    endif()
  endforeach()
endfunction()

# tw_table(TARGET FOLDER PREFIX TYPE HEADER FUNCTION [NAMESPACE]): writes a source with a function
# `FUNCTION()` that lists `row()` of every .cpp in FOLDER: adding a file adds a row. Each file has the namespace
# PREFIX_<file name> inside of NAMESPACE (tw), so that all may call their parts by the same names.
function(tw_table target folder prefix type header function_name)
  set(space tw)
  if(ARGC GREATER 6)
    set(space ${ARGV6})
  endif()
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
    string(APPEND declarations "namespace ${prefix}_${stem} { ${type} const& row(); }\n")
    string(APPEND rows "      &${prefix}_${stem}::row(),\n")
  endforeach()
  set(out ${CMAKE_BINARY_DIR}/generated/${folder}/table.cpp)
  file(CONFIGURE OUTPUT ${out} CONTENT
"// Written by CMake from the files of @folder@.
#include \"@header@\"

namespace @space@ {
@declarations@
std::span<@type@ const* const> @function_name@() {
  static @type@ const* const rows[] = {
@rows@  };
  return rows;
}
}  // namespace @space@
" @ONLY)
  target_sources(${target} PRIVATE ${out})
endfunction()

# tw_function_table(TARGET FOLDER TYPE ROW HEADER FUNCTION): writes the header FOLDER.h with `TYPE <file name>();` of
# every .cpp in FOLDER, and a source with a function `FUNCTION()` that lists them as `ROW{"<file name>", function}`.
function(tw_function_table target folder type row header function_name)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.cpp)
  list(SORT files)
  set(declarations "")
  set(rows "")
  foreach(file ${files})
    get_filename_component(stem ${file} NAME_WE)
    string(APPEND declarations "${type} ${stem}();\n")
    string(APPEND rows "      {\"${stem}\", ${stem}},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/${folder}.h CONTENT
"// Written by CMake from the files of @folder@.
#pragma once

#include \"@header@\"

namespace tw {
@declarations@}  // namespace tw
" @ONLY)
  set(out ${CMAKE_BINARY_DIR}/generated/${folder}/table.cpp)
  file(CONFIGURE OUTPUT ${out} CONTENT
"// Written by CMake from the files of @folder@.
#include \"@folder@.h\"

namespace tw {
std::span<@row@ const> @function_name@() {
  static @row@ const rows[] = {
@rows@  };
  return rows;
}
}  // namespace tw
" @ONLY)
  target_sources(${target} PRIVATE ${out})
endfunction()

# tw_folder_rows(OUT PREFIX TYPE HEADER FUNCTION FOLDERS...): writes the source OUT with a function
# `FUNCTION()` that lists `PREFIX_<name>()` of every folder: adding a folder adds a row.
function(tw_folder_rows out prefix type header function_name)
  set(declarations "")
  set(rows "")
  foreach(folder ${ARGN})
    get_filename_component(name ${folder} NAME)
    string(APPEND declarations "${type} const& ${prefix}_${name}();\n")
    string(APPEND rows "      &${prefix}_${name}(),\n")
  endforeach()
  set(body "  static ${type} const* const rows[] = {\n${rows}  };\n  return rows;")
  if(rows STREQUAL "")
    set(body "  return {};")
  endif()
  file(CONFIGURE OUTPUT ${out} CONTENT
"// Written by CMake from names of folders.
#include \"@header@\"

namespace tw {
@declarations@
std::span<@type@ const* const> @function_name@() {
@body@
}
}  // namespace tw
" @ONLY)
endfunction()

# tw_folder_table(LIBRARY PREFIX TYPE HEADER FUNCTION FOLDERS... LINKS...): the same as a library. The
# folders' own libraries and that of HEADER are LINKS.
function(tw_folder_table library prefix type header function_name)
  cmake_parse_arguments(ARG "" "" "FOLDERS;LINKS" ${ARGN})
  set(out ${CMAKE_BINARY_DIR}/generated/tables/${library}.cpp)
  tw_folder_rows(${out} ${prefix} ${type} ${header} ${function_name} ${ARG_FOLDERS})
  add_library(${library} STATIC ${out})
  target_link_libraries(${library} PUBLIC ${ARG_LINKS})
endfunction()

# tw_target_tables(COMPILERS RUNTIMES FOLDERS...): the two tables of the targets in FOLDERS (paths
# from the top), each with a library tw_<name>_compiler, a tw_<name>_runtime, or both.
function(tw_target_tables compilers runtimes)
  set(with_compiler "")
  set(with_runtime "")
  set(compiler_links tw_backend)
  set(runtime_links tw_device)
  foreach(folder ${ARGN})
    get_filename_component(name ${folder} NAME)
    if(TARGET tw_${name}_compiler)
      list(APPEND with_compiler ${folder})
      list(APPEND compiler_links tw_${name}_compiler)
    endif()
    if(TARGET tw_${name}_runtime)
      list(APPEND with_runtime ${folder})
      list(APPEND runtime_links tw_${name}_runtime)
    endif()
  endforeach()
  tw_folder_table(${compilers} target TargetEntry engine/backend/target_table.h target_table
    FOLDERS ${with_compiler} LINKS ${compiler_links})
  tw_folder_table(${runtimes} device_runtime DeviceRuntimeEntry engine/device/device_runtime_table.h device_runtime_table
    FOLDERS ${with_runtime} LINKS ${runtime_links})
endfunction()

# tw_command_table(LIBRARY FOLDERS...): the table of the commands that the targets in FOLDERS bring, each with a library
# tw_<name>_commands.
function(tw_command_table library)
  set(with_commands "")
  set(links tw_session)
  foreach(folder ${ARGN})
    get_filename_component(name ${folder} NAME)
    if(TARGET tw_${name}_commands)
      list(APPEND with_commands ${folder})
      list(APPEND links tw_${name}_commands)
    endif()
  endforeach()
  tw_folder_table(${library} commands session::TargetCommandGroup engine/session/target_command.h target_command_table
    FOLDERS ${with_commands} LINKS ${links})
endfunction()

# tw_test_headers(NAME LINKS...): <QtTest> read once: it includes all of QtCore, which takes longer than the rest of most
# tests. Its users have the definitions of the same Qt libraries.
set(TW_TEST_OPTIONS ${TW_WARNINGS} -pthread)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # GCC 12 forgets which precompiled headers are the system's, and warns about the inside of std::string.
  list(APPEND TW_TEST_OPTIONS -Wno-array-bounds -Wno-stringop-overflow)
endif()
function(tw_test_headers name)
  add_library(${name} OBJECT ${CMAKE_SOURCE_DIR}/tests/headers.cpp)
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
  target_compile_options(${name} PRIVATE ${TW_TEST_OPTIONS})
  target_link_libraries(${name} PRIVATE Qt6::Test ${ARGN})
  target_precompile_headers(${name} PRIVATE <QtTest> ${CMAKE_SOURCE_DIR}/tests/support/folder_main.h)
endfunction()

# tw_test_folder(FOLDER LINKS... [NEEDS PROGRAMS...] [SOURCES...] [HEADERS LIBRARY] [TIMEOUT s]): the *_test.cpp of tests/FOLDER as
# one program FOLDER_tests. Each is a test of its own: `FOLDER_tests NAME_test`, or a link FOLDER_NAME_test beside the program.
# NEEDS are the programs that they start.
function(tw_test_folder folder)
  cmake_parse_arguments(ARG "" "TIMEOUT;HEADERS" "LINKS;NEEDS;SOURCES" ${ARGN})
  if(NOT ARG_HEADERS)
    set(ARG_HEADERS tw_test_headers)
  endif()
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/${folder}/*_test.cpp)
  string(REPLACE "/" "_" flat ${folder})
  set(program ${flat}_tests)
  set(shared ${CMAKE_SOURCE_DIR}/tests/support/folder_main.cpp ${ARG_SOURCES})  # with other folders
  set_source_files_properties(${shared} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  add_executable(${program} ${shared} ${files})
  set_target_properties(${program} PROPERTIES AUTOMOC ON RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_include_directories(${program} PRIVATE ${CMAKE_SOURCE_DIR})
  target_compile_options(${program} PRIVATE ${TW_TEST_OPTIONS})
  target_link_libraries(${program} PRIVATE Qt6::Test tw_support tw_test_paths ${ARG_LINKS})
  target_precompile_headers(${program} REUSE_FROM ${ARG_HEADERS})
  if(ARG_NEEDS)
    add_dependencies(${program} ${ARG_NEEDS})
  endif()
  tw_compile_together_later(${program} 4)
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 900)  # of a test that hangs: a slow machine with a neighbour is no failure
  endif()
  if(TW_SANITIZE)  # instrumented programs take many times as long
    math(EXPR ARG_TIMEOUT "${ARG_TIMEOUT} * 10")
  endif()
  # Freed memory is written over, so that who still reads it fails each time instead of once in a hundred runs.
  set(environment "TW_VERIFY_PASSES=1;QT_QPA_PLATFORM=offscreen;TW_CACHE_DIR=${CMAKE_BINARY_DIR}/test_cache;QTEST_DISABLE_STACK_DUMP=1;QTEST_FUNCTION_TIMEOUT=3600000")
  string(APPEND environment ";MALLOC_PERTURB_=165")
  foreach(file ${files})
    get_filename_component(stem ${file} NAME_WE)
    file(CREATE_LINK ${program} ${CMAKE_BINARY_DIR}/tests/${flat}_${stem} SYMBOLIC)
    add_test(NAME ${flat}/${stem} COMMAND ${program} ${stem})
    set_tests_properties(${flat}/${stem} PROPERTIES TIMEOUT ${ARG_TIMEOUT}
      ENVIRONMENT "${environment}")
    if(stem MATCHES "slow")
      set_tests_properties(${flat}/${stem} PROPERTIES LABELS slow COST 0 RUN_SERIAL TRUE)
    else()
      set_tests_properties(${flat}/${stem} PROPERTIES COST 100)
    endif()
  endforeach()
endfunction()

# tw_texts(TARGET FOLDER ENDING TYPE HEADER FUNCTION): writes a source with a function `FUNCTION()` that returns what
# the files of FOLDER with that ending say, as `TYPE{"<path>", "<text>"}` each, sorted by name.
function(tw_texts target folder ending type header function_name)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.${ending})
  list(SORT files)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  set(rows "")
  foreach(file ${files})
    get_filename_component(name ${file} NAME)
    file(READ ${file} text)
    string(APPEND rows "      {\"${folder}/${name}\", R\"TEXT(${text})TEXT\"},\n")
  endforeach()
  set(out ${CMAKE_BINARY_DIR}/generated/${folder}/texts.cpp)
  file(CONFIGURE OUTPUT ${out} CONTENT
"// Written by CMake from the files of @folder@.
#include \"@header@\"

namespace tw {
std::vector<@type@> @function_name@() {
  return {
@rows@  };
}
}  // namespace tw
" @ONLY)
  target_sources(${target} PRIVATE ${out})
endfunction()
