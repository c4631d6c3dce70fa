# tw_accelerator_kit(NAME INCLUDE_AFTER folders SOURCES...): what an exported folder gets for kernels on an accelerator,
# libtilewright_NAME.so.1, which the runtime library beside it loads when a package asks for one. One for each architecture
# that a runtime library is built for: lib/tilewright/NAME/ARCHITECTURE/. What every such library needs of the engine is
# added to SOURCES. INCLUDE_AFTER: folders of headers of libraries that are opened at run time.
function(tw_accelerator_kit name)
  if(NOT TARGET tw_kit)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "INCLUDE_AFTER;SOURCES" ${ARGN})
  set(sources ${ARG_SOURCES})
  foreach(source runtime/device_runtime support/base/error support/base/quantities support/files support/write_file hardware/hardware)
    list(APPEND sources ${CMAKE_SOURCE_DIR}/engine/${source}.cpp)
  endforeach()
  tw_groups(groups grouped tw_${name}_package 8 ${sources})
  list(REMOVE_ITEM sources ${grouped})
  list(APPEND sources ${groups})
  set(library libtilewright_${name}.so.1)
  # A board has no libfmt: what is needed of it is compiled in.
  set(options -fvisibility=hidden -ffunction-sections -fdata-sections -DFMT_HEADER_ONLY)

  add_library(tw_${name}_package SHARED ${sources})
  set_target_properties(tw_${name}_package PROPERTIES OUTPUT_NAME tilewright_${name} SOVERSION 1
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/tilewright/${name}/${CMAKE_SYSTEM_PROCESSOR})
  target_compile_options(tw_${name}_package PRIVATE ${TW_WARNINGS} -Wno-subobject-linkage ${options})
  tw_optimize(tw_${name}_package)
  target_include_directories(tw_${name}_package PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_options(tw_${name}_package PRIVATE -Wl,--gc-sections -Wl,-s)
  target_link_libraries(tw_${name}_package PRIVATE Threads::Threads dl)
  add_dependencies(tw_kit tw_${name}_package)

  set(after "")
  foreach(folder ${ARG_INCLUDE_AFTER})
    list(APPEND after -idirafter ${folder})
  endforeach()
  foreach(architecture aarch64 armv7)
    string(TOUPPER ${architecture} upper)
    set(compiler ${TW_${upper}_COMPILER})
    if(NOT compiler OR CMAKE_SYSTEM_PROCESSOR STREQUAL architecture)
      continue()
    endif()
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/${architecture})
    set(objects "")
    foreach(source ${sources})
      string(REPLACE "${CMAKE_SOURCE_DIR}/" "" object ${source})
      string(REPLACE "${CMAKE_BINARY_DIR}/generated/" "" object ${object})
      string(REPLACE "/" "_" object ${object})
      add_custom_command(OUTPUT ${folder}/${object}.o DEPENDS ${source} DEPFILE ${folder}/${object}.d
        COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
        COMMAND ${TW_LAUNCHER} ${compiler} -std=c++23 -O2 -fPIC -fno-gnu-unique -Wno-psabi -Wno-subobject-linkage ${options} -I${CMAKE_SOURCE_DIR}
                ${after} -MD -MF ${folder}/${object}.d -c ${source} -o ${folder}/${object}.o
        VERBATIM)
      list(APPEND objects ${folder}/${object}.o)
    endforeach()
    set(built ${CMAKE_BINARY_DIR}/lib/tilewright/${name}/${architecture})
    add_custom_command(OUTPUT ${built}/${library} DEPENDS ${objects}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${built}
      COMMAND ${compiler} -shared -Wl,--gc-sections -Wl,-soname,${library} -s ${objects} -o ${built}/${library} -pthread -ldl
      VERBATIM)
    add_custom_target(tw_${name}_package_${architecture} ALL DEPENDS ${built}/${library})
    add_dependencies(tw_all_kits tw_${name}_package_${architecture})
  endforeach()
endfunction()
