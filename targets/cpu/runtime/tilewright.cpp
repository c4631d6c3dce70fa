// The C interface of the runtime library, on this machine's processor.
#include "engine/runtime/tilewright.h"

#include <sched.h>

#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/runtime/package/package.h"
#include "engine/runtime/thread_pool.h"
#include "targets/cpu/runtime/cpu_processor.h"

using tw::package::Package;
using tw::package::Tensor;

struct TwModel {
  std::unique_ptr<Package> package;
  int threads = 1;
  int first_core = 0;
  std::vector<TwTensor> inputs, outputs;
};

namespace {

thread_local std::string last_error;

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
    return tw::bad_input("package_unreadable", "no folder was named");
  std::vector<int> cores = tw::usable_cores();
  constexpr int32_t kMostThreads = 1024;
  if (threads < 0 || threads > kMostThreads)
    return tw::bad_input("bad_threads",
                         "the number of threads is from 0 to 1024, not " + std::to_string(threads));
  if (threads == 0) threads = int32_t(cores.size());
  auto processor = tw::create_cpu_processor(INT64_MAX, tw::Caller::kFloats);
  TRY_ASSIGN(auto package, Package::load(folder, std::move(processor), threads));
  auto model = std::make_unique<TwModel>();
  model->inputs = tensors_of(package->description().inputs);
  model->outputs = tensors_of(package->description().outputs);
  model->package = std::move(package);
  model->threads = threads;
  model->first_core = size_t(threads) <= cores.size() ? cores.front() : -1;
  return model.release();
}

/// What `work` gives, or `otherwise` with the error kept; no exception passes a C interface.
template <typename T, typename Work>
T guarded(T otherwise, Work work) {
  try {
    tw::Result<T> result = work();
    if (result) return *result;
    last_error = tw::to_sentence(result.error());
  } catch (std::exception const& error) {
    last_error = std::string("out of memory: ") + error.what();
  }
  return otherwise;
}

bool inside(std::vector<TwTensor> const& tensors, int32_t index) {
  return index >= 0 && size_t(index) < tensors.size();
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
void tw_free(TwModel* model) { delete model; }
char const* tw_error(void) { return last_error.c_str(); }

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

int32_t tw_run(TwModel* model) {
  return guarded<int32_t>(1, [&]() -> tw::Result<int32_t> {
    std::optional<StayOn> stay;
    if (model->threads > 1 && model->first_core >= 0) stay.emplace(model->first_core);
    TRY(model->package->run());
    return 0;
  });
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
