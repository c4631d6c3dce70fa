/// What touches the device, in a process of its own: a hang or a fault ends that one alone.
#pragma once

#include <set>

#include "tests/benchmarks/gpu/runner/lines.h"
#include "tests/benchmarks/gpu/runner/timing.h"

namespace tw::gpu_bench {

struct WorkerOptions {
  std::string driver, cublas, cudnn;  ///< files; empty: by their names
  std::string python;                 ///< empty: no PyTorch
  TimingOptions timing;
  size_t most_bytes = size_t(1) << 30;  ///< of a tensor of the probes
};

/// Requests, each answered by one line, with lines {"doing": ...} before it:
///   {"open": true}, {"peers": [...]}: those to open
///   {"check": N}, {"time": N}: item N of the pack
///   {"roofs": true}, {"patterns": true}
/// Until the other side closes.
void serve(Lines lines, Pack const& pack, WorkerOptions const& options);

/// The worker's process, begun anew after each that ended.
class Worker {
public:
  Worker(Pack const& pack, WorkerOptions const& options) : pack_(pack), options_(options) {}
  Worker(Worker const&) = delete;
  Worker& operator=(Worker const&) = delete;
  ~Worker() { stop(); }

  /// Opens the device, and the peers that `peers` names. Errors: no_such_hardware, device_failed.
  Result<Json> start();
  bool runs() const { return process_ > 0; }
  /// Errors: program_timed_out, device_failed: the process is ended then, and `last_doing` says
  /// what it did.
  Result<Json> ask(Json const& request, double seconds);
  std::string const& last_doing() const { return doing_; }
  /// After {"failed": true} no context is of use any more. Ends what the process has started, too.
  void stop();

private:
  std::string how_it_ended();
  void wait_for_end() const;

  Pack const& pack_;
  WorkerOptions const& options_;
  Lines lines_;
  pid_t process_ = -1;
  std::string doing_;
};

}  // namespace tw::gpu_bench
