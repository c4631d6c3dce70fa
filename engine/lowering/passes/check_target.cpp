// Changes nothing: refuses what the target cannot do, with the sum or the statement that shows it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/ir/rewrite.h"
#include "engine/ir/text.h"
#include "engine/lowering/pipeline.h"
#include "engine/support/base/quantities.h"

namespace tw {
namespace {

using namespace ir;

class Checking {
public:
  explicit Checking(Target const& target) : target_(target) {}

  Status check(Function const& function) {
    for (Buffer const& param : function.params) TRY(check_tensor(*param));
    check_below(function.body);
    return status_;
  }

private:
  Status check_tensor(BufferNode const& tensor) const {
    if (!target_.computes_with(tensor.type))
      return refused("unsupported_type",
                     fmt::format("{} is {}, which the target {} does not have", tensor.name,
                                 to_text(tensor.type), target_.name));
    if (tensor.scope != kParameterScope && !target_.scope(tensor.scope))
      return refused(
          "unknown_scope",
          fmt::format("{} lives in '{}'; the memories of the target {} are {}", tensor.name,
                      tensor.scope, target_.name, fmt::join(target_.scope_names(), ", ")));
    return {};
  }

  bool is_reached_by_copies(Buffer const& tensor) const {
    MemoryScope const* memory = target_.scope(
        tensor->scope == kParameterScope ? std::string_view(kGlobalScope) : tensor->scope);
    return memory && memory->reach == Reach::kCopies;
  }

  /// Nothing computes with elements of a memory that copies alone reach.
  void check_store(Store const& store) {
    if (store.value.as<Load>()) return;
    Buffer wrong = is_reached_by_copies(store.buffer) ? store.buffer : nullptr;
    walk(store.value, [&](Expr const& e) {
      auto const* read = e.as<Load>();
      if (read && is_reached_by_copies(read->buffer)) wrong = read->buffer;
      return !wrong;
    });
    if (wrong && status_)
      status_ =
          refused("reached_by_copies",
                  fmt::format("{} computes with {} where it lies: on the target {} tensors in "
                              "'{}' are only copied (cache_read, cache_write)",
                              store.buffer->name, wrong->name, target_.name, wrong->scope));
  }

  void enter(BufferNode const& tensor) {
    if (Status known = check_tensor(tensor); !known && status_) status_ = known;
    MemoryScope const* memory = target_.scope(tensor.scope);
    if (!memory || memory->bytes == 0) return;
    int64_t bytes = size_of(tensor.type), sum = 0;
    for (Expr const& extent : tensor.shape) bytes *= as_int(extent).value_or(1);
    live_.push_back({tensor.name, tensor.scope,
                     (bytes + memory->alignment - 1) / memory->alignment * memory->alignment});
    std::string parts;
    for (Part const& part : live_) {
      if (part.scope != tensor.scope) continue;
      sum += part.bytes;
      parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", part.tensor,
                           bytes_text(double(part.bytes)));
    }
    if (sum > memory->bytes && status_)
      status_ =
          refused("scope_overflow",
                  fmt::format("'{}' holds {}, but {} are needed at once: {}", tensor.scope,
                              bytes_text(double(memory->bytes)), bytes_text(double(sum)), parts));
  }

  void check_below(Stmt const& body) {
    walk(body, [&](Stmt const& s) {
      if (auto const* store = s.as<Store>()) check_store(*store);
      auto const* alloc = s.as<Alloc>();
      if (!alloc) return bool(status_);
      size_t before = live_.size();
      enter(*alloc->buffer);
      check_below(alloc->body);
      live_.resize(before);
      return false;
    });
  }

  struct Part {
    std::string tensor, scope;
    int64_t bytes;
  };
  Target const& target_;
  std::vector<Part> live_;
  Status status_;
};

Result<KernelIr> run(KernelIr const& kernel, PassContext const& context) {
  TRY(Checking(context.target).check(kernel.host));
  for (Function const& function : kernel.device) TRY(Checking(context.target).check(function));
  return kernel;
}

}  // namespace

Pass check_target() {
  return {"check_target",
          "Checks that the target has the types, memories and room that are used.",
          "after tensors shrank: what a kernel needs at once is known",
          run,
          {.needs = {Invariant::kNoBlocks, Invariant::kScalarCode}}};
}

}  // namespace tw
