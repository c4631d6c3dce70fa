/// What is told before a model is open: of each sample what a card shows, and of the machine when
/// its roofs were measured.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/session/values.h"
#include "engine/support/base/error.h"
#include "engine/support/base/job.h"

namespace tw {
class Backend;
}

namespace tw::session {

/// A loop of a nest, without words.
struct SummaryLoop {
  int hue = 0;    ///< as in LoopBar
  int level = 0;  ///< as in LoopBar
  int64_t extent = 1;
};
/// A kernel below the roofs, as it is written and as it is scheduled by rule: by the model of time.
struct KernelEstimate {
  double flops = 0, bytes = 0;       ///< of one run; bytes that have to be moved at least
  double plain_ms = 0, rule_ms = 0;  ///< of one run
};
/// What a sample is, told without opening it.
struct SampleSummary {
  int operators = 0;  ///< 0: it is a kernel without a model
  int kernels = 0;
  std::string kernel;              ///< the one with the most arithmetic, all its calls together
  std::vector<SummaryLoop> loops;  ///< its stage with the most iterations, scheduled by rule
  std::optional<double> model_ms;  ///< of all kernels by rule; empty: the roofs are not known
  std::optional<double>
      measured_ms;  ///< of the model on this machine, by rule; empty: it never was
  std::optional<KernelEstimate> promise;  ///< of `kernel`; empty: the roofs are not known
};

/// A card of the start page. `source` is a sample ("sample:resnet18") or the text of a tensor
/// expression ("te:...").
struct StartSample {
  std::string name, title, description, source;
};
/// The built-in models, and a matrix product that is large enough to be worth some steps.
std::vector<StartSample> start_samples();

/// Stories of samples on one kind of machine, kept in the cache folder from start to start. Any
/// thread may ask.
class StartPageData {
public:
  /// `build`: of the program; another one may schedule otherwise.
  StartPageData(std::shared_ptr<Backend const> backend, std::filesystem::path cache_folder,
                std::string build);

  /// What is kept; empty: nothing is.
  std::optional<SampleSummary> kept(std::string const& source) const;
  /// Loads the sample, schedules its kernels by rule and keeps what that says; with the roofs
  /// (`machine` may be null) also the modelled time. Errors: those of `load_model` and of the
  /// schedule; cancelled.
  Result<SampleSummary> story(std::string const& source, MachineView const* machine,
                              StopToken stop = {}) const;
  /// The model has just been measured on this machine, all kernels by rule.
  Status keep_time(std::string const& source, double milliseconds) const;
  /// When the roofs that are kept here were measured, in seconds since 1970; empty: there are none.
  std::optional<int64_t> roofs_measured() const;

private:
  std::filesystem::path file_of(std::string const& source) const;
  Status keep(std::string const& source, SampleSummary const& story) const;

  std::shared_ptr<Backend const> backend_;
  std::filesystem::path cache_folder_;
  std::string build_;
  mutable std::mutex mutex_;  ///< one reads and writes a file at a time
};

}  // namespace tw::session
