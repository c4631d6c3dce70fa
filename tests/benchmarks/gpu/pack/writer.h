/// A pack on its way to its folder: kernels of one item as files, tensors in one file, and the list
/// of it all.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/backend/backend.h"
#include "engine/imported/imported_model.h"
#include "engine/te/te.h"
#include "targets/cuda/compiler/toolkit.h"

namespace tw::gpu_bench {

/// A kernel with the steps of its schedule; none: the default one.
struct PackedKernel {
  std::string name;
  te::Kernel kernel;
  std::string script;
};

class PackWriter {
public:
  /// Errors: those of files and of backends.
  static Result<PackWriter> create(std::filesystem::path folder);

  /// Small, with all of its tensors. Errors: those of schedules and of code.
  Status add_check(PackedKernel const& kernel);
  /// With seeded inputs and some elements of its output.
  Status add_timed(PackedKernel const& kernel, nlohmann::json peer);
  /// With seeded inputs and weights; `options`: of the graph, where the default is not meant.
  /// Errors: those of graphs; not_exportable, where a step is no kernel.
  Status add_network(std::string const& name, ImportedModel const& model,
                     Point const& options = {});
  /// Accesses of shared memory with the passes that the model counts.
  void add_patterns();
  /// Errors: those of files.
  Status finish();

  /// What runs a kernel where there is no GPU: a library of this processor's code for each.
  bool for_stand_in = false;
  nlohmann::json const& list() const { return json_; }

private:
  /// A machine that code is made for, and others that the same code runs on.
  struct Family {
    std::string architecture;
    std::shared_ptr<Backend const> backend;
    std::vector<std::pair<std::string, std::shared_ptr<Backend const>>> described;  // by its name
  };
  struct Made {
    Schedule schedule;
    nlohmann::json json;
  };
  explicit PackWriter(std::filesystem::path folder) : folder_(std::move(folder)) {}
  Status add_family(std::string const& own, std::vector<std::string> const& others);
  Result<Made> code(PackedKernel const& kernel, Family const& family);
  Status write_code(std::string const& stem, Artifact const& artifact, Family const& family,
                    nlohmann::json& json);
  Status write_host_code(ir::KernelIr const& kernel, nlohmann::json const& record);
  Result<nlohmann::json> codes(PackedKernel const& kernel);
  nlohmann::json stored(NDArray const& array);

  std::filesystem::path folder_;
  std::vector<Family> families_;
  cuda::Toolkit toolkit_;
  std::string data_;
  nlohmann::json json_;
};

}  // namespace tw::gpu_bench
