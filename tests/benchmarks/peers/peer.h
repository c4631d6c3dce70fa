/// What a vendor's library looks like to the benchmark. Each peer is a shared library of its own,
/// opened when it is there: the program that measures has no dependency on any of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/benchmarks/kernels/workload.h"

namespace tw::bench {

/// One way of a library to compute a workload, made ready: weights are packed, memory is allocated.
class PeerKernel {
public:
  virtual ~PeerKernel() = default;
  virtual std::string algorithm() const = 0;       ///< "direct", "winograd", "sgemm"
  virtual std::string implementation() const = 0;  ///< as the library calls it
  /// On tensors in the layouts that the library asked for.
  virtual void run() = 0;
  /// Whether those differ from plain row-major ones.
  virtual bool changes_layouts() const { return false; }
  /// From plain data to a plain output: the changes of layout around `run` are included.
  virtual void run_from_plain() { run(); }
  /// Of the last run, row-major.
  virtual std::vector<float> output() = 0;
};

class PeerLibrary {
public:
  virtual ~PeerLibrary() = default;
  virtual std::string title() const = 0;  ///< name and version
  /// The first one is what the library does when asked for its standard algorithm; the others are
  /// what else it has. Empty: it has nothing for this workload. `data` and `weights` must outlive
  /// the kernels.
  virtual std::vector<std::unique_ptr<PeerKernel>> kernels(Workload const& workload,
                                                           float const* data,
                                                           float const* weights) = 0;
};

}  // namespace tw::bench

/// What each peer exports, under this name.
extern "C" tw::bench::PeerLibrary* open_peer_library();
