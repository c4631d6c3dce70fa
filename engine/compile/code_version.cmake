# What is in the compiler decides what code it makes: a hash of its sources is part of every cache
# key, so that a kernel kept by another version is never taken.
file(GLOB_RECURSE compiler_sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}
  ${CMAKE_SOURCE_DIR}/engine/*.cpp ${CMAKE_SOURCE_DIR}/engine/*.h
  ${CMAKE_SOURCE_DIR}/targets/*.cpp ${CMAKE_SOURCE_DIR}/targets/*.h)
list(FILTER compiler_sources EXCLUDE REGEX "^engine/(session|device|history|measure|samples|importers)/")
list(JOIN compiler_sources "\n" lines)
set(generated ${CMAKE_BINARY_DIR}/generated/engine/compile)
file(CONFIGURE OUTPUT ${generated}/sources.txt CONTENT "${lines}\n")
list(TRANSFORM compiler_sources PREPEND ${CMAKE_SOURCE_DIR}/)
add_custom_command(OUTPUT ${generated}/source_hash.h
  COMMAND ${CMAKE_COMMAND} -D FOLDER=${CMAKE_SOURCE_DIR} -D LIST=${generated}/sources.txt
          -D OUT=${generated}/source_hash.h -P ${CMAKE_SOURCE_DIR}/resources/cmake/source_hash.cmake
  DEPENDS ${compiler_sources} ${generated}/sources.txt VERBATIM)
set_source_files_properties(${CMAKE_SOURCE_DIR}/engine/compile/code_version.cpp
  PROPERTIES COMPILE_DEFINITIONS TW_PRODUCT_VERSION="${PROJECT_VERSION}")
target_sources(tw_compile PRIVATE ${generated}/source_hash.h)
