set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
# Internal checks stay on in every build: a wrong answer costs more than a compare.
string(REPLACE "-DNDEBUG" "" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
# What is hot is named (tw_optimize). The rest compiles in a third less time; measured on schedules and a search, it runs as fast.
string(REPLACE "-O3" "-O1" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")

set(TW_SANITIZE "" CACHE STRING "sanitizers, as in -fsanitize=")
option(TW_FUZZ "build the fuzz targets for libFuzzer, and nothing else (needs clang)" OFF)
option(TW_DEVICE_ONLY "build tw-device and its server, and nothing else: for a board" OFF)
set(TW_WARNINGS -Wall -Wextra -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # Lints that cost nothing beside compiling: what clang-tidy would say first.
  list(APPEND TW_WARNINGS -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wsuggest-override -Wextra-semi -Wold-style-cast
    -Wcast-qual -Wcast-align -Wundef -Wformat=2 -Wunused-macros -Wmismatched-tags -Wzero-as-null-pointer-constant -Wdouble-promotion
    -Wduplicated-cond -Wduplicated-branches -Wlogical-op)
endif()
# Another compiler than the one that the product is tested with warns of other things, which is no reason not to build.
set(tested OFF)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION MATCHES "^12\\.")
  set(tested ON)
endif()
option(TW_WERROR "warnings are errors" ${tested})
if(TW_WERROR)
  list(APPEND TW_WARNINGS -Werror)
endif()
if(TW_SANITIZE)
  add_compile_options(-fsanitize=${TW_SANITIZE} -fno-omit-frame-pointer)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # Instrumented code makes GCC 12 warn about the inside of std::regex.
    add_compile_options(-Wno-maybe-uninitialized)
  endif()
  add_link_options(-fsanitize=${TW_SANITIZE})
  if(TW_FUZZ)
    # What is undefined, or outside of a container, ends the program as a crash does.
    add_compile_options(-fno-sanitize-recover=all -D_GLIBCXX_ASSERTIONS)
  endif()
endif()

# Paths below the source tree are hashed as relative ones, so that a second checkout finds what the first one compiled. Sloppy is what
# precompiled headers ask for.
find_program(TW_CCACHE ccache)
if(TW_CCACHE)
  set(TW_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros ${TW_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${TW_LAUNCHER})
  set(CMAKE_C_COMPILER_LAUNCHER ${TW_LAUNCHER})
endif()

# lld 19 links in a tenth of the time that the default linker takes.
if(EXISTS /usr/lib/llvm-19/bin/ld.lld)
  add_link_options(-fuse-ld=lld -B/usr/lib/llvm-19/bin)
endif()
