// The C interface of the runtime library, on this machine's processor.
#include "engine/runtime/tilewright.h"

#include <sched.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/runtime/cores.h"
#include "engine/runtime/package/accelerator.h"
#include "engine/runtime/package/dlpack.h"
#include "engine/runtime/package/package.h"
#include "targets/cpu/runtime/cpu_processor.h"

using tw::package::Package;
using tw::package::Tensor;

struct TwModel {
  std::shared_ptr<Package> package;  ///< tensors that were lent hold it, too
  int threads = 1;
  std::vector<TwTensor> inputs, outputs;
  /// One per input and output: the caller's own, or null.
  std::vector<std::shared_ptr<tw::dlpack::Managed>> own_inputs, own_outputs;
};

namespace {

// Without a destructor: one for each thread would keep the library from being unloaded.
thread_local char last_error[1024];

void keep_error(std::string const& sentence) {
  size_t count = std::min(sentence.size(), sizeof last_error - 1);
  std::memcpy(last_error, sentence.data(), count);
  last_error[count] = '\0';
}

static_assert(TW_BOOL == int(tw::DType::kBool) && TW_U8 == int(tw::DType::kU8));

std::vector<TwTensor> tensors_of(std::vector<Tensor> const& tensors) {
  std::vector<TwTensor> result;
  for (Tensor const& tensor : tensors)
    result.push_back({tensor.name.c_str(), tw::to_text(tensor.type).data(), int32_t(tensor.type),
                      int32_t(tensor.shape.size()), tensor.shape.data(), tensor.bytes});
  return result;
}

/// While it lives, the calling thread stays on one core, as the pool's threads do on theirs.
class StayOn {
public:
  explicit StayOn(int core) {
    CPU_ZERO(&before_);
    changed_ = sched_getaffinity(0, sizeof before_, &before_) == 0;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(size_t(core), &one);
    if (changed_) sched_setaffinity(0, sizeof one, &one);
  }
  ~StayOn() {
    if (changed_) sched_setaffinity(0, sizeof before_, &before_);
  }
  StayOn(StayOn const&) = delete;
  StayOn& operator=(StayOn const&) = delete;

private:
  cpu_set_t before_;
  bool changed_ = false;
};

tw::Result<TwModel*> load(char const* folder, int32_t threads) {
  if (folder == nullptr || *folder == '\0')
    return tw::bad_input("package_unreadable", "no folder was given");
  constexpr int32_t kMostThreads = 1024;
  if (threads < 0 || threads > kMostThreads)
    return tw::bad_input("bad_threads", "the number of threads must be from 0 to 1024, not " +
                                            std::to_string(threads));
  if (threads == 0) threads = int32_t(tw::usable_cores().size());
  auto processor = tw::create_cpu_processor(INT64_MAX, tw::Caller::kFloats);
  TRY_ASSIGN(auto package,
             Package::load(folder, std::move(processor), threads, tw::package::open_accelerator));
  auto model = std::make_unique<TwModel>();
  model->inputs = tensors_of(package->description().inputs);
  model->outputs = tensors_of(package->description().outputs);
  model->own_inputs.resize(model->inputs.size());
  model->own_outputs.resize(model->outputs.size());
  model->package = std::move(package);
  model->threads = threads;
  return model.release();
}

/// What `work` gives, or `otherwise` with the error kept; no exception passes a C interface.
template <typename T, typename Work>
T guarded(T otherwise, Work work) {
  try {
    tw::Result<T> result = work();
    if (result) return *result;
    keep_error(tw::to_sentence(result.error()));
  } catch (std::exception const& error) {
    keep_error(std::string("out of memory: ") + error.what());
  }
  return otherwise;
}

bool inside(std::vector<TwTensor> const& tensors, int32_t index) {
  return index >= 0 && size_t(index) < tensors.size();
}

std::unexpected<tw::Error> no_tensor(char const* kind, int32_t index, size_t count) {
  return tw::bad_input("no_tensor", "there is no " + std::string(kind) + " " +
                                        std::to_string(index) + ": the model has " +
                                        std::to_string(count));
}

/// An output that is an input, a constant or another output once more has no place of its own:
/// the caller's gets a copy.
void copy_to_callers(TwModel& model) {
  Package& package = *model.package;
  for (size_t i = 0; i < model.own_outputs.size(); ++i) {
    auto const& own = model.own_outputs[i];
    if (!own || package.has_place(i)) continue;
    Tensor const& tensor = package.description().outputs[i];
    std::memcpy(*tw::dlpack::place_of(*own, tensor), package.output(i), size_t(tensor.bytes));
  }
}

tw::Result<int32_t> run(TwModel& model) {
  std::optional<StayOn> stay;
  if (int core = model.package->caller_core(); core >= 0) stay.emplace(core);
  TRY(model.package->run());
  copy_to_callers(model);
  return 0;
}

/// Null: the model's own memory again.
tw::Result<int32_t> use_input(TwModel& model, int32_t index, tw::dlpack::Managed* given) {
  if (!inside(model.inputs, index)) return no_tensor("input", index, model.inputs.size());
  void* place = nullptr;
  if (given != nullptr) {
    TRY_ASSIGN(place,
               tw::dlpack::place_of(*given, model.package->description().inputs[size_t(index)]));
  }
  model.package->use_input(size_t(index), place);
  model.own_inputs[size_t(index)] = given ? tw::dlpack::take(given) : nullptr;
  return 0;
}

tw::Result<int32_t> use_output(TwModel& model, int32_t index, tw::dlpack::Managed* given) {
  if (!inside(model.outputs, index)) return no_tensor("output", index, model.outputs.size());
  void* place = nullptr;
  if (given != nullptr) {
    TRY_ASSIGN(place,
               tw::dlpack::place_of(*given, model.package->description().outputs[size_t(index)]));
  }
  model.package->use_output(size_t(index), place);
  model.own_outputs[size_t(index)] = given ? tw::dlpack::take(given) : nullptr;
  return 0;
}

/// What a lent tensor needs: the model's memory, and the caller's where that took its place.
struct Kept {
  std::shared_ptr<Package> package;
  std::shared_ptr<tw::dlpack::Managed> own;
};

DLManagedTensor* lend(TwModel const& model, Tensor const& tensor, void* memory,
                      std::shared_ptr<tw::dlpack::Managed> const& own) {
  auto kept = std::make_shared<Kept>(Kept{model.package, own});
  return reinterpret_cast<DLManagedTensor*>(tw::dlpack::lend(tensor, memory, std::move(kept)));
}

/// IEEE half precision.
double half(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double value = exponent == 31 ? (fraction ? __builtin_nan("") : __builtin_inf())
                 : exponent     ? __builtin_ldexp(1024 + fraction, exponent - 25)
                                : __builtin_ldexp(fraction, -24);
  return bits >> 15 ? -value : value;
}

template <typename T>
T read(void const* data, int64_t index) {
  T value;
  std::memcpy(&value, static_cast<char const*>(data) + index * int64_t(sizeof(T)), sizeof(T));
  return value;
}

}  // namespace

extern "C" {

int32_t tw_api_version(void) { return TW_API_VERSION; }

TwModel* tw_load(char const* folder, int32_t threads) {
  return guarded<TwModel*>(nullptr, [&] { return load(folder, threads); });
}
void tw_free(TwModel* model) {
  if (model != nullptr) model->package->end_threads();
  delete model;
}
char const* tw_error(void) { return last_error; }

char const* tw_name(TwModel const* model) { return model->package->description().name.c_str(); }
int32_t tw_threads(TwModel const* model) { return model->threads; }
int32_t tw_input_count(TwModel const* model) { return int32_t(model->inputs.size()); }
int32_t tw_output_count(TwModel const* model) { return int32_t(model->outputs.size()); }
TwTensor const* tw_input(TwModel const* model, int32_t index) {
  return inside(model->inputs, index) ? &model->inputs[size_t(index)] : nullptr;
}
TwTensor const* tw_output(TwModel const* model, int32_t index) {
  return inside(model->outputs, index) ? &model->outputs[size_t(index)] : nullptr;
}
void* tw_input_data(TwModel* model, int32_t index) {
  return inside(model->inputs, index) ? model->package->input(size_t(index)) : nullptr;
}
void const* tw_output_data(TwModel const* model, int32_t index) {
  return inside(model->outputs, index) ? model->package->output(size_t(index)) : nullptr;
}

int32_t tw_use_input(TwModel* model, int32_t index, DLManagedTensor* tensor) {
  return guarded<int32_t>(
      1, [&] { return use_input(*model, index, reinterpret_cast<tw::dlpack::Managed*>(tensor)); });
}
int32_t tw_use_output(TwModel* model, int32_t index, DLManagedTensor* tensor) {
  return guarded<int32_t>(
      1, [&] { return use_output(*model, index, reinterpret_cast<tw::dlpack::Managed*>(tensor)); });
}
DLManagedTensor* tw_input_tensor(TwModel* model, int32_t index) {
  return guarded<DLManagedTensor*>(nullptr, [&]() -> tw::Result<DLManagedTensor*> {
    if (!inside(model->inputs, index)) return no_tensor("input", index, model->inputs.size());
    auto i = size_t(index);
    return lend(*model, model->package->description().inputs[i], model->package->input(i),
                model->own_inputs[i]);
  });
}
DLManagedTensor* tw_output_tensor(TwModel* model, int32_t index) {
  return guarded<DLManagedTensor*>(nullptr, [&]() -> tw::Result<DLManagedTensor*> {
    if (!inside(model->outputs, index)) return no_tensor("output", index, model->outputs.size());
    auto i = size_t(index);
    return lend(*model, model->package->description().outputs[i],
                const_cast<void*>(model->package->output(i)), model->own_outputs[i]);
  });
}

int32_t tw_run(TwModel* model) {
  return guarded<int32_t>(1, [&] { return run(*model); });
}

double tw_value(void const* data, int32_t type, int64_t index) {
  switch (type) {
    case TW_F32:
      return double(read<float>(data, index));
    case TW_F64:
      return read<double>(data, index);
    case TW_F16:
      return half(read<uint16_t>(data, index));
    case TW_BF16: {
      uint32_t bits = uint32_t(read<uint16_t>(data, index)) << 16;
      return double(read<float>(&bits, 0));
    }
    case TW_I8:
      return read<int8_t>(data, index);
    case TW_U8:
    case TW_BOOL:
      return read<uint8_t>(data, index);
    case TW_I16:
      return read<int16_t>(data, index);
    case TW_U16:
      return read<uint16_t>(data, index);
    case TW_I32:
      return read<int32_t>(data, index);
    case TW_U32:
      return read<uint32_t>(data, index);
    case TW_I64:
      return double(read<int64_t>(data, index));
    case TW_U64:
      return double(read<uint64_t>(data, index));
    default:
      return __builtin_nan("");
  }
}

}  // extern "C"
