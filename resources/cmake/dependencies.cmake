find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Protobuf REQUIRED)
find_package(gRPC REQUIRED CONFIG)
find_program(TW_GRPC_PLUGIN grpc_cpp_plugin REQUIRED)
find_package(OpenSSL REQUIRED)
if(NOT TW_FUZZ)
  find_library(TW_SECCOMP seccomp REQUIRED)
endif()
if(TW_DEVICE_ONLY)
  return()
endif()
if(NOT TW_FUZZ)
  # Its CMake package cannot be loaded as Debian has it.
  find_library(TW_XGBOOST xgboost REQUIRED)
  # Matrices of the recursive cost model: headers alone.
  find_path(EIGEN_INCLUDE Eigen/Core PATH_SUFFIXES eigen3 REQUIRED)
  add_library(tw_eigen INTERFACE)
  target_include_directories(tw_eigen SYSTEM INTERFACE ${EIGEN_INCLUDE})
endif()
find_package(CLI11 REQUIRED)
# Programs are trees of small nodes: whoever edits and lowers them waits for malloc a fifth of the time. Sanitizers have
# their own.
set(TW_ALLOCATOR "")
if(NOT TW_SANITIZE)
  find_package(mimalloc 2.0 REQUIRED)
  set(TW_ALLOCATOR mimalloc)
endif()
find_package(SQLite3 REQUIRED)
find_package(PostgreSQL REQUIRED)
find_package(Qt6 6.4 REQUIRED COMPONENTS Widgets Concurrent Network PrintSupport Svg Test)
# Plots of the window. It prints them, too, which is why it asks for PrintSupport.
find_package(QCustomPlotQt6 REQUIRED CONFIG)
# The editor of scripts. Debian has no CMake package of it; its headers lie in Qt's folder.
find_path(QSCINTILLA_INCLUDE Qsci/qsciscintilla.h PATH_SUFFIXES qt6 REQUIRED)
find_library(QSCINTILLA_LIBRARY qscintilla2_qt6 REQUIRED)
add_library(tw_qscintilla INTERFACE)
target_link_libraries(tw_qscintilla INTERFACE ${QSCINTILLA_LIBRARY} Qt6::Widgets Qt6::PrintSupport)

# Asking for version 19 is refused by the package's own version file, so the path decides.
find_package(LLVM REQUIRED CONFIG PATHS /usr/lib/llvm-19/lib/cmake/llvm NO_DEFAULT_PATH)
add_library(tw_llvm INTERFACE)
target_include_directories(tw_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
target_link_libraries(tw_llvm INTERFACE
  /usr/lib/llvm-19/lib/liblldELF.a /usr/lib/llvm-19/lib/liblldCommon.a LLVM z zstd)
target_link_directories(tw_llvm INTERFACE /usr/lib/llvm-19/lib)

# Integer sets, for the legality of schedule steps.
find_path(ISL_INCLUDE isl/ctx.h REQUIRED)
find_library(ISL_LIBRARY isl REQUIRED)
add_library(tw_isl INTERFACE)
target_include_directories(tw_isl SYSTEM INTERFACE ${ISL_INCLUDE})
target_link_libraries(tw_isl INTERFACE ${ISL_LIBRARY})
