#include "tests/benchmarks/gpu/pack/writer.h"

#include <fmt/format.h>

#include <array>

#include "engine/analysis/locality.h"
#include "engine/ir/interpreter.h"
#include "engine/schedule/macros/macro_set.h"
#include "engine/schedule/trace.h"
#include "engine/support/base/random.h"
#include "engine/support/files.h"
#include "engine/te/expected.h"
#include "engine/te/inputs.h"
#include "targets/cuda/compiler/cuda_backend.h"
#include "targets/cuda/compiler/rates.h"
#include "targets/cuda/hardware/description.h"
#include "targets/shared/gpu/warp_accesses.h"
#include "tests/benchmarks/gpu/pack/sampled.h"
#include "tests/support/emitted_device.h"

namespace tw::gpu_bench {
namespace {

using Json = nlohmann::json;

constexpr int kSamples = 64;
/// Of the largest sampled element; sums of some thousand f32 are nearer, TF32 is farther away.
constexpr double kTolerance = 2e-5;

std::string text_of(std::vector<std::byte> const& bytes) {
  return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

Result<std::shared_ptr<Backend const>> backend_of(std::string const& gpu) {
  for (cuda::KnownGpu const& one : cuda::known_gpus())
    if (one.name == gpu) return cuda::create_cuda_backend(one.hardware, {});
  return bad_input("unknown_target", "no GPU '" + gpu + "' is described");
}

Result<Schedule> scheduled(PackedKernel const& of, Backend const& backend) {
  TRY_ASSIGN(ir::Program program, te::to_program(of.kernel));
  if (of.script.empty()) return backend.default_schedule(program);
  MacroSet const macros(builtin_macros());
  TRY_ASSIGN(Script steps, parse_script(of.script, {}, false, &macros));
  auto done = replay(Schedule(program, backend.shared_target()), steps, &macros);
  if (!done) return refused(done.error().code, done.error().message);
  return std::move(*done);
}

double bytes_of(te::Kernel const& kernel) {
  double bytes = 0;
  for (auto const* list : {&kernel.inputs, &kernel.outputs})
    for (te::Buffer const& one : *list) {
      double own = size_of(one->type);
      std::vector<int64_t> shape = *ir::constant_shape(*one);
      for (int64_t extent : shape) own *= double(extent);
      bytes += own;
    }
  return bytes;
}

Json tensor(te::Buffer const& buffer) {
  return {{"type", to_text(buffer->type)}, {"shape", *ir::constant_shape(*buffer)}};
}

/// What each lane of a warp touches in shared memory, in words of four bytes.
Json pattern(std::string const& name, int bytes, std::vector<int64_t> addresses) {
  int passes = gpu::passes_of(addresses, bytes, false);
  return {{"name", name}, {"bytes", bytes}, {"offsets", std::move(addresses)}, {"passes", passes}};
}

std::vector<int64_t> addresses(int bytes, auto const& element) {
  std::vector<int64_t> list;
  for (int64_t lane = 0; lane < 32; ++lane) list.push_back(int64_t(element(lane)) * bytes);
  return list;
}

}  // namespace

Result<PackWriter> PackWriter::create(std::filesystem::path folder) {
  PackWriter writer(std::move(folder));
  TRY(make_folder(writer.folder_ / "kernels"));
  writer.toolkit_ = cuda::find_toolkit();
  TRY(writer.add_family("h200", {"h100"}));
  TRY(writer.add_family("a100", {"rtx4090", "orin"}));
  writer.json_ = {{"version", 1},
                  {"generator", writer.families_[0].backend->generator()},
                  {"cubins", !writer.toolkit_.ptxas.empty()},
                  {"items", Json::array()}};
  return writer;
}

Status PackWriter::add_family(std::string const& own, std::vector<std::string> const& others) {
  TRY_ASSIGN(auto backend, backend_of(own));
  Family family{backend->target().hardware.word(cuda::kArchitecture), backend, {{own, backend}}};
  for (std::string const& other : others) {
    TRY_ASSIGN(auto described, backend_of(other));
    family.described.emplace_back(other, described);
  }
  families_.push_back(std::move(family));
  return {};
}

Status PackWriter::write_code(std::string const& stem, Artifact const& artifact,
                              Family const& family, Json& made) {
  std::string name = stem + "." + family.architecture, ptx = text_of(artifact.parts[1].bytes);
  made["ptx"] = "kernels/" + name + ".ptx";
  TRY(write_file(folder_ / made["ptx"].get<std::string>(), ptx, Durability::kFast));
  if (toolkit_.ptxas.empty()) return {};
  TRY_ASSIGN(cuda::Assembled assembled,
             cuda::assemble({toolkit_.ptxas, {}}, ptx, family.architecture));
  made["cubin"] = "kernels/" + name + ".cubin";
  for (cuda::FunctionResources const& one : assembled.functions)
    made["resources"][one.function] = {{"registers", one.registers},
                                       {"spill_bytes", one.spill_bytes},
                                       {"shared_bytes", one.shared_bytes}};
  return write_file(folder_ / made["cubin"].get<std::string>(), text_of(assembled.cubin),
                    Durability::kFast);
}

Status PackWriter::write_host_code(ir::KernelIr const& kernel, Json const& record) {
  if (!for_stand_in) return {};
  std::vector<std::string> names;
  for (Json const& launch : record["launches"]) names.push_back(launch["function"]);
  TRY_ASSIGN(Machine machine, Machine::create({.triple = {}, .cpu = "x86-64-v3", .features = {}}));
  TRY_ASSIGN(auto code, testing::EmittedDevice::code(machine, kernel, names));
  TRY(make_folder(folder_ / "stand_in"));
  for (std::string const& name : names)
    TRY(write_file(folder_ / "stand_in" / (name + ".so"), text_of(code.library),
                   Durability::kFast));
  return {};
}

Result<PackWriter::Made> PackWriter::code(PackedKernel const& of, Family const& family) {
  TRY_ASSIGN(Schedule schedule, scheduled(of, *family.backend));
  TRY_ASSIGN(std::vector<LoweredStage> stages,
             lower(schedule.program(), family.backend->target(), family.backend->passes()));
  ir::KernelIr const& lowered = stages.back().kernel;
  TRY_ASSIGN(Artifact artifact,
             family.backend->generate(lowered, CodeTier::kFull, CodeTexts::kNone, {}));
  Json made = {{"record", Json::parse(text_of(artifact.parts[0].bytes))},
               {"workspace", artifact.workspace_bytes},
               {"script", schedule.script()}};
  TRY(write_code(of.name, artifact, family, made));
  if (&family == &families_[0]) TRY(write_host_code(lowered, made["record"]));
  for (auto const& [name, backend] : family.described) {
    auto roofs = cuda::roofs_of(backend->target().hardware);
    auto model = backend->model_time(schedule.program(), analysis::Locality(schedule.program()),
                                     roofs.value_or(Roofs{}));
    if (model) made["modelled"][name] = {{"seconds", model->seconds}, {"bound", model->bound}};
  }
  return Made{std::move(schedule), std::move(made)};
}

Result<Json> PackWriter::codes(PackedKernel const& of) {
  Json all = Json::object();
  for (Family const& family : families_) {
    TRY_ASSIGN(Made made, code(of, family));
    all[family.architecture] = std::move(made.json);
  }
  return all;
}

Json PackWriter::stored(NDArray const& array) {
  Json made = {{"at", data_.size()}, {"bytes", array.byte_size()}};
  data_.append(static_cast<char const*>(array.data()), size_t(array.byte_size()));
  return made;
}

Status PackWriter::add_check(PackedKernel const& of) {
  Json item = {{"name", of.name}, {"part", "checks"}};
  TRY_ASSIGN(item["code"], codes(of));
  TRY_ASSIGN(std::vector<NDArray> inputs, te::proving_inputs(of.kernel, 1));
  TRY_ASSIGN(te::Expected expected,
             te::expected_outputs(of.kernel, inputs, [&](ir::Program const& program) {
               return ir::interpret(program, inputs);
             }));
  for (size_t i = 0; i < inputs.size(); ++i) {
    item["inputs"].push_back(tensor(of.kernel.inputs[i]));
    item["inputs"].back()["stored"] = stored(inputs[i]);
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    TRY_ASSIGN(Limits limits, te::limits_of(expected[i], of.kernel.outputs[i]->type));
    item["outputs"].push_back(tensor(of.kernel.outputs[i]));
    item["outputs"].back()["low"] = stored(limits.low);
    item["outputs"].back()["high"] = stored(limits.high);
  }
  json_["items"].push_back(std::move(item));
  return {};
}

Status PackWriter::add_timed(PackedKernel const& of, Json peer) {
  Json item = {{"name", of.name},
               {"part", "times"},
               {"flops", te::flops(of.kernel)},
               {"bytes", bytes_of(of.kernel)},
               {"peer", std::move(peer)}};
  TRY_ASSIGN(item["code"], codes(of));
  for (size_t i = 0; i < of.kernel.inputs.size(); ++i) {
    item["inputs"].push_back(tensor(of.kernel.inputs[i]));
    item["inputs"].back()["seed"] = i + 1;
  }
  TRY_ASSIGN(Samples samples, sampled_reference(of.kernel, kSamples, 7));
  item["outputs"] = Json::array({tensor(of.kernel.outputs[0])});
  item["outputs"][0]["samples"] = {
      {"index", samples.index}, {"value", samples.value}, {"tolerance", kTolerance}};
  json_["items"].push_back(std::move(item));
  return {};
}

void PackWriter::add_patterns() {
  Json& list = json_["patterns"] = Json::array();
  Rng rng(5);
  for (int bytes : {4, 8, 16}) {
    list.push_back(pattern("side by side", bytes, addresses(bytes, [](int64_t l) { return l; })));
    list.push_back(pattern("one for all", bytes, addresses(bytes, [](int64_t) { return 3; })));
    for (int64_t stride : {2, 3, 4, 8, 16, 32, 33})
      list.push_back(pattern(fmt::format("stride {}", stride), bytes,
                             addresses(bytes, [&](int64_t l) { return l * stride; })));
    // The rule of phases: which lanes go together decides whether these meet in a bank.
    for (int64_t together : {4, 8, 16})
      list.push_back(pattern(fmt::format("every {} lanes anew", together), bytes,
                             addresses(bytes, [&](int64_t l) {
                               return l % together + l / together * (128 * 32 / bytes);
                             })));
    for (int64_t apart : {1, 2, 4, 8, 16})
      list.push_back(pattern(fmt::format("lanes {} apart in one bank", apart), bytes,
                             addresses(bytes, [&](int64_t l) {
                               return (l & ~apart) + ((l & apart) != 0 ? 1024 / bytes * 8 : 0);
                             })));
    for (int number = 0; number < 12; ++number)
      list.push_back(pattern(fmt::format("drawn {}", number), bytes,
                             addresses(bytes, [&](int64_t) { return rng.below(8192 / bytes); })));
  }
}

Status PackWriter::finish() {
  json_["data_bytes"] = data_.size();
  TRY(write_file(folder_ / "data.bin", data_, Durability::kFast));
  return write_file(folder_ / "pack.json", json_.dump() + "\n", Durability::kFast);
}

}  // namespace tw::gpu_bench
