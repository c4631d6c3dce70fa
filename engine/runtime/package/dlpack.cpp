#include "engine/runtime/package/dlpack.h"

#include <algorithm>

namespace tw::dlpack {
namespace {

static_assert(sizeof(Device) == 8 && sizeof(ElementType) == 4);
static_assert(sizeof(void*) != 8 || (sizeof(View) == 48 && sizeof(Managed) == 64));

constexpr int32_t kProcessor = 1;
enum Code : uint8_t { kSigned = 0, kUnsigned = 1, kFloat = 2, kBfloat = 4, kBool = 6 };

ElementType type_of(DType type) {
  auto bits = uint8_t(8 * size_of(type));
  if (type == DType::kBool) return {kBool, bits, 1};
  if (type == DType::kBF16) return {kBfloat, bits, 1};
  if (is_float(type)) return {kFloat, bits, 1};
  return {to_text(type).front() == 'i' ? kSigned : kUnsigned, bits, 1};
}

bool same(ElementType const& given, DType wanted) {
  ElementType own = type_of(wanted);
  // Before DLPack knew truth values they went as bytes.
  bool code = given.code == own.code || (wanted == DType::kBool && given.code == kUnsigned);
  return code && given.bits == own.bits && given.lanes == 1;
}

/// Strides of extents of 1 mean nothing.
bool is_dense(View const& view) {
  if (view.strides == nullptr) return true;
  int64_t expected = 1;
  for (int32_t i = view.rank - 1; i >= 0; --i) {
    if (view.shape[i] == 0) return true;
    if (view.shape[i] != 1 && view.strides[i] != expected) return false;
    expected *= view.shape[i];
  }
  return true;
}

std::string shape_text(int64_t const* shape, size_t rank) {
  std::string text;
  for (size_t i = 0; i < rank; ++i) text += (i ? "x" : "") + std::to_string(shape[i]);
  return "[" + text + "]";
}

std::string what_is(View const& view) {
  constexpr char const* kNames[] = {"i", "u", "f", "handle", "bf", "complex", "bool"};
  std::string name = view.type.code < std::size(kNames) ? kNames[view.type.code] : "type ";
  std::string lanes = view.type.lanes == 1 ? "" : "x" + std::to_string(view.type.lanes);
  return name + std::to_string(view.type.bits) + lanes +
         shape_text(view.shape, size_t(std::max(view.rank, 0)));
}

std::unexpected<Error> unfit(package::Tensor const& wanted, std::string const& why) {
  return bad_input("unfit_tensor", "'" + wanted.name + "' is " + std::string(to_text(wanted.type)) +
                                       shape_text(wanted.shape.data(), wanted.shape.size()) + "; " +
                                       why);
}

/// A tensor with what it points to.
struct Lent {
  Managed managed;
  std::vector<int64_t> shape;
  std::shared_ptr<void const> keeps;
};

void give_back(Managed* managed) { delete static_cast<Lent*>(managed->context); }

}  // namespace

Result<void*> place_of(Managed const& given, package::Tensor const& wanted) {
  View const& view = given.view;
  if (view.device.kind != kProcessor)
    return unfit(wanted, "the given tensor is not in the processor's memory");
  bool fits = same(view.type, wanted.type) && size_t(std::max(view.rank, 0)) == wanted.shape.size();
  if (!fits || !std::equal(wanted.shape.begin(), wanted.shape.end(), view.shape))
    return unfit(wanted, "the given tensor is " + what_is(view));
  if (!is_dense(view)) return unfit(wanted, "the given tensor is not dense and row-major");
  auto address = reinterpret_cast<uintptr_t>(view.data) + view.byte_offset;
  if (view.data == nullptr && wanted.bytes > 0) return unfit(wanted, "the given tensor is null");
  if (address % uint64_t(size_of(wanted.type)) != 0)
    return unfit(wanted, "the given tensor is not aligned to its elements");
  return reinterpret_cast<void*>(address);
}

std::shared_ptr<Managed> take(Managed* given) {
  return {given, [](Managed* taken) {
            if (taken->deleter != nullptr) taken->deleter(taken);
          }};
}

Managed* lend(package::Tensor const& tensor, void* memory, std::shared_ptr<void const> keeps) {
  auto lent = std::make_unique<Lent>();
  lent->shape = tensor.shape;
  lent->keeps = std::move(keeps);
  lent->managed.view = {.data = memory,
                        .rank = int32_t(tensor.shape.size()),
                        .type = type_of(tensor.type),
                        .shape = lent->shape.data()};
  lent->managed.context = lent.get();
  lent->managed.deleter = give_back;
  return &lent.release()->managed;
}

}  // namespace tw::dlpack
