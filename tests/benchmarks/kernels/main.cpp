// bench-kernels: one workload, compiled by us, against the vendors' libraries, as JSON on stdout.
#include <dlfcn.h>
#include <fmt/format.h>
#include <sched.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>

#include "engine/runtime/thread_pool.h"
#include "engine/samples/onnx_writer.h"
#include "engine/support/files.h"
#include "targets/cpu/compiler/cpu_backend.h"
#include "targets/cpu/hardware/detect.h"
#include "tests/benchmarks/kernels/compiled_model.h"
#include "tests/benchmarks/kernels/rounds.h"
#include "tests/benchmarks/kernels/workloads.h"
#include "tests/benchmarks/peers/peer.h"

namespace tw::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kTolerance = 1e-4;
constexpr int kCheckedPlaces = 2000;

struct Options {
  std::string workload;
  std::vector<std::string> peers;  // shared libraries; the first that has it gives the standard
  uint64_t seed = 1;
  int core = -1;
  RoundOptions rounds;
  std::string script;       // of a tuned schedule, which becomes an arm
  std::string write_model;  // instead of measuring
  bool list = false;
};

struct PeerArm {
  std::string library;
  std::unique_ptr<PeerKernel> kernel;
  double error = 0;
};

/// To one core, which the peers' thread pools then see as the only one. Returns it, or -1.
int pin(int core) {
  if (core < 0) core = usable_cores().back();
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(core, &cores);
  return sched_setaffinity(0, sizeof cores, &cores) == 0 ? core : -1;
}

/// One thread, and the kernels made for this machine where a library would not choose them.
void prepare_environment(Hardware const& hardware) {
  setenv("OMP_NUM_THREADS", "1", 1);
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  if (hardware.unit().vector_bytes == 64) setenv("OPENBLAS_CORETYPE", "SkylakeX", 1);
}

Result<PeerLibrary*> open_peer(std::string const& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return environment_failed("peer_not_loadable", dlerror());
  void* open = dlsym(library, "open_peer_library");
  if (!open) return environment_failed("peer_not_loadable", path + " is no peer");
  return reinterpret_cast<PeerLibrary* (*)()>(open)();
}

Result<std::vector<PeerArm>> open_peers(Options const& options, Workload const& workload,
                                        Operands const& operands, Json& report) {
  std::vector<PeerArm> arms;
  report["peers"] = Json::array();
  for (std::string const& path : options.peers) {
    TRY_ASSIGN(PeerLibrary * library, open_peer(path));
    report["peers"].push_back(library->title());
    for (auto& kernel : library->kernels(workload, operands.data.as<float>().data(),
                                         operands.weights.as<float>().data()))
      arms.push_back({library->title(), std::move(kernel)});
  }
  return arms;
}

/// A wrong kernel has no time.
Result<double> checked(std::string const& who, Workload const& workload, Operands const& operands,
                       float const* values, uint64_t seed) {
  double error = error_of(workload, operands, values, kCheckedPlaces, seed);
  if (error <= kTolerance) return error;
  return refused("wrong_output", fmt::format("{}: the output is off by {:.2g}", who, error));
}

Status check_peers(std::vector<PeerArm>& peers, Workload const& workload, Operands const& operands,
                   NDArray const& ours, uint64_t seed) {
  for (PeerArm& peer : peers) {
    std::string name = peer.kernel->algorithm() + " " + peer.kernel->implementation();
    peer.kernel->run();
    std::vector<float> values = peer.kernel->output();
    TRY_ASSIGN(peer.error, checked(name, workload, operands, values.data(), seed));
    TRY_ASSIGN(NDArray theirs, NDArray::create(DType::kF32, ours.shape()));
    std::ranges::copy(values, theirs.as<float>().begin());
    Comparison comparison = compare(ours, theirs, kTolerance);
    if (!comparison.equal)
      return refused("outputs_differ",
                     fmt::format("ours and {} differ by {:.2g} of {:.2g}", name,
                                 comparison.max_abs_diff, comparison.max_abs_ref));
  }
  return {};
}

/// Of what the peers have, the one that is fastest now; `peers` is not empty.
size_t fastest(std::vector<PeerArm> const& peers) {
  std::vector<double> seconds(peers.size(), INFINITY);
  for (int round = 0; round < 3; ++round)
    for (size_t i = 0; i < peers.size(); ++i)
      seconds[i] = std::min(seconds[i], sample(make_arm("", [&] { peers[i].kernel->run(); })));
  return size_t(std::ranges::min_element(seconds) - seconds.begin());
}

void add_peer_arms(std::string const& name, PeerKernel& kernel, std::vector<Arm>& arms) {
  arms.push_back(make_arm(name, [&kernel] { kernel.run(); }));
  if (kernel.changes_layouts())
    arms.push_back(make_arm(name + "_plain", [&kernel] { kernel.run_from_plain(); }));
}

/// A workload as the product compiles it.
struct Ours {
  CompiledModel full, fast;
  std::optional<CompiledModel> tuned;
  std::optional<CompiledModel> alone;  ///< from plain to plain, where `full` has neighbours
};

std::vector<Arm> make_arms(Ours const& ours, std::vector<PeerArm>& peers, Json& report) {
  std::vector<Arm> arms = {make_arm("ours", [&ours] { ours.full.run_core(); }),
                           make_arm("ours_fast", [&ours] { ours.fast.run_core(); })};
  if (ours.tuned) arms.push_back(make_arm("tuned", [&ours] { ours.tuned->run_core(); }));
  CompiledModel const& plain = ours.alone ? *ours.alone : ours.full;
  if (ours.alone || plain.has_border())
    arms.push_back(make_arm("ours_plain", [&plain] { plain.run(); }));
  if (peers.empty()) return arms;
  add_peer_arms("standard", *peers[0].kernel, arms);
  size_t best = fastest(peers);
  if (best != 0) add_peer_arms("best", *peers[best].kernel, arms);
  auto describe = [&](PeerArm const& peer) {
    return Json{{"library", peer.library},
                {"algorithm", peer.kernel->algorithm()},
                {"implementation", peer.kernel->implementation()},
                {"error", peer.error}};
  };
  report["standard"] = describe(peers[0]);
  report["best"] = describe(peers[best]);
  return arms;
}

Json rounds_to_json(std::vector<Arm> const& arms, std::vector<Round> const& rounds) {
  Json json = Json::object();
  for (Round const& round : rounds) json["kept"].push_back(round.kept);
  for (size_t i = 0; i < arms.size(); ++i)
    for (Round const& round : rounds) {
      json["seconds"][arms[i].name].push_back(round.seconds[i]);
      json["probe_gflops"][arms[i].name].push_back(std::round(round.probes[i] * 1e-7) / 100);
    }
  return json;
}

void describe_ours(CompiledModel const& model, double error, Json& report) {
  report["ours"] = {{"error", error}, {"compile_seconds", model.compile_seconds()}};
  for (CompiledKernel const& kernel : model.kernels())
    report["ours"]["kernels"].push_back({{"name", kernel.name},
                                         {"operators", kernel.operators},
                                         {"border", kernel.is_border},
                                         {"script", kernel.script}});
}

/// A model that was run once and gave the right output.
Result<CompiledModel> compiled(Options const& options, Workload const& workload,
                               Operands const& operands, Backend const& backend, CodeTier tier,
                               bool inside_network, std::string const& script = "") {
  ImportedModel source = inside_network ? model_inside_network(workload, operands.weights)
                                        : model_of(workload, operands.weights);
  TRY_ASSIGN(
      CompiledModel model,
      CompiledModel::create(source, backend, tier, inside_network ? workload.name : "", script));
  model.set_inputs(inputs_of(workload, operands));
  model.poison();
  if (int32_t code = model.run(); code != 0)
    return refused("kernel_failed", fmt::format("our kernel stopped with code {}", code));
  TRY(checked(tier == CodeTier::kFast ? "our fast tier" : "ours", workload, operands,
              model.output().as<float>().data(), options.seed + 1));
  return model;
}

Result<Ours> compile_ours(Options const& options, Workload const& workload,
                          Operands const& operands, Backend const& backend) {
  bool inside = !workload.is_matrix_product();
  auto make = [&](CodeTier tier, bool inside_network) {
    return compiled(options, workload, operands, backend, tier, inside_network);
  };
  TRY_ASSIGN(CompiledModel full, make(CodeTier::kFull, inside));
  TRY_ASSIGN(CompiledModel fast, make(CodeTier::kFast, inside));
  Ours ours{std::move(full), std::move(fast), std::nullopt, std::nullopt};
  if (!options.script.empty()) {
    TRY_ASSIGN(std::string script, read_file(options.script));
    TRY_ASSIGN(CompiledModel tuned,
               compiled(options, workload, operands, backend, CodeTier::kFull, inside, script));
    ours.tuned.emplace(std::move(tuned));
  }
  if (!inside) return ours;
  TRY_ASSIGN(CompiledModel alone, make(CodeTier::kFull, false));
  ours.alone.emplace(std::move(alone));
  return ours;
}

Result<Json> measure(Options const& options, Workload const& workload) {
  Hardware hardware = detect_host();
  prepare_environment(hardware);
  Json report = {{"workload", workload.name}, {"flops", workload.flops()}, {"seed", options.seed}};
  report["core"] = pin(options.core);
  TRY_ASSIGN(auto backend, create_cpu_backend(hardware));
  TRY_ASSIGN(FmaProbe probe, FmaProbe::create(*backend));
  Operands operands = random_operands(workload, options.seed);
  TRY_ASSIGN(Ours ours, compile_ours(options, workload, operands, *backend));
  NDArray const& output = ours.full.output();
  TRY_ASSIGN(double error,
             checked("ours", workload, operands, output.as<float>().data(), options.seed + 1));
  describe_ours(ours.full, error, report);
  report["ours"]["fast_compile_seconds"] = ours.fast.compile_seconds();
  TRY_ASSIGN(std::vector<PeerArm> peers, open_peers(options, workload, operands, report));
  TRY(check_peers(peers, workload, operands, output, options.seed + 1));
  std::vector<Arm> arms = make_arms(ours, peers, report);
  Rng rng(options.seed);
  report["rounds"] = rounds_to_json(arms, interleave(arms, probe, options.rounds, rng));
  return report;
}

/// As it is measured, for `tw tune`; prints the name of the kernel that counts.
Status write_model(Options const& options, Workload const& workload) {
  Operands operands = random_operands(workload, options.seed);
  bool inside = !workload.is_matrix_product();
  ImportedModel model = inside ? model_inside_network(workload, operands.weights)
                               : model_of(workload, operands.weights);
  TRY_ASSIGN(std::string bytes, write_onnx(model));
  TRY(write_file(options.write_model, bytes));
  TRY_ASSIGN(auto backend, create_cpu_backend(detect_host()));
  TRY_ASSIGN(CompiledModel compiled,
             CompiledModel::create(model, *backend, CodeTier::kFast, inside ? workload.name : ""));
  fmt::print("{}\n", compiled.largest().name);
  return {};
}

int run(Options const& options) {
  if (options.list) {
    for (Workload const& workload : all_workloads()) fmt::print("{}\n", workload.name);
    return 0;
  }
  Workload const* workload = find_workload(options.workload);
  if (!workload) {
    fmt::print(stderr, "bench-kernels: there is no workload '{}'\n", options.workload);
    return 2;
  }
  if (!options.write_model.empty()) {
    Status written = write_model(options, *workload);
    if (!written) fmt::print(stderr, "bench-kernels: {}\n", to_sentence(written.error()));
    return written ? 0 : 1;
  }
  Result<Json> report = measure(options, *workload);
  if (!report) {
    fmt::print(stderr, "bench-kernels: {}\n", to_sentence(report.error()));
    return 1;
  }
  fmt::print("{}\n", report->dump());
  return 0;
}

}  // namespace
}  // namespace tw::bench

int main(int count, char** arguments) {
  tw::bench::Options options;
  CLI::App app("Measures one workload against the peers that are given");
  app.add_option("workload", options.workload, "C1..C12, D1..D9, S64..S2048");
  app.add_option("--peer", options.peers, "shared libraries of peers");
  app.add_option("--seed", options.seed, "of the data and of the order of the arms");
  app.add_option("--core", options.core, "the core to run on; the last one");
  app.add_option("--rounds", options.rounds.wanted, "undisturbed rounds to measure");
  app.add_option("--most-rounds", options.rounds.most, "rounds to try for that");
  app.add_option("--script", options.script, "measure this schedule of the kernel, too");
  app.add_option("--write-model", options.write_model,
                 "instead: write the model that is measured as ONNX, print the kernel's name");
  app.add_flag("--list", options.list, "print the names of all workloads");
  CLI11_PARSE(app, count, arguments);
  return tw::bench::run(options);
}
