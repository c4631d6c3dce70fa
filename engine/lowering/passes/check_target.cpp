// Changes nothing: refuses what the target cannot do, with the sum or the statement that shows it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/ir/fields.h"
#include "engine/ir/intrinsic.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/strides.h"
#include "engine/ir/text.h"
#include "engine/lowering/pipeline.h"
#include "engine/lowering/registers.h"
#include "engine/support/base/quantities.h"
#include "engine/target/memory_parts.h"

namespace tw {
namespace {

using namespace ir;

class Checking {
public:
  explicit Checking(Target const& target) : target_(target) {}

  Status run(Function const& function) {
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
          fmt::format("{} is in the memory '{}'; the memories of the target {} are {}", tensor.name,
                      tensor.scope, target_.name, fmt::join(target_.scope_names(), ", ")));
    return {};
  }

  bool is_reached_by_copies(Buffer const& tensor) const {
    MemoryScope const* memory = target_.scope(
        tensor->scope == kParameterScope ? std::string_view(kGlobalScope) : tensor->scope);
    return memory && memory->reach == IndexBounds::kCopies;
  }

  void refuse(std::string code, std::string message) {
    if (status_) status_ = refused(std::move(code), std::move(message));
  }

  void refuse_place(Buffer const& tensor) {
    if (!is_reached_by_copies(tensor)) return;
    refuse("reached_by_copies",
           fmt::format("{} is used in a computation, but on the target {} tensors in '{}' can only "
                       "be copied (cache_read, cache_write)",
                       tensor->name, target_.name, tensor->scope));
  }

  /// Indices and conditions every target computes with.
  void check_type(Expr const& part) {
    DType type = part.type();
    if (type != DType::kI64 && type != DType::kBool && !target_.computes_with(type))
      refuse("unsupported_type", fmt::format("{} is {}, which the target {} does not have",
                                             to_text(part), to_text(type), target_.name));
  }

  /// Of a value, an index, a condition or an extent.
  void check_computed(Expr const& e) {
    walk(e, [&](Expr const& part) {
      check_type(part);
      if (auto const* read = part.as<Load>()) refuse_place(read->buffer);
      return bool(status_);
    });
  }

  /// What is copied is reached where it lies; the places that it is copied from and to are
  /// computed.
  void check(Store const& store) {
    for (Expr const& index : store.indices) check_computed(index);
    if (auto const* copied = store.value.as<Load>()) {
      for (Expr const& index : copied->indices) check_computed(index);
      return;
    }
    refuse_place(store.buffer);
    check_computed(store.value);
  }

  /// Which memories an instruction reaches is told by its declaration.
  void check(IntrinsicCall const& call) {
    for (size_t i = 0; i < call.operands.size(); ++i) {
      auto const* element = call.operands[i].value.as<Load>();
      if (!element || !call.intrinsic->params[i].buffer) {
        check_computed(call.operands[i].value);
        continue;
      }
      for (Expr const& index : element->indices) check_computed(index);
    }
  }

  void check(HintNode auto const&) {}

  void check(auto const& node) {
    for_each_field(node, overloaded{[&](Expr const& e) {
                                      if (e) check_computed(e);
                                    },
                                    [](auto const&) {}});
  }

  void enter(BufferNode const& tensor) {
    if (Status known = check_tensor(tensor); !known && status_) status_ = known;
    MemoryScope const* memory = target_.scope(tensor.scope);
    if (!memory || memory->bytes == 0) return;
    auto elements = elements_in_memory(tensor);
    if (!elements)
      return refuse("unknown_size",
                    fmt::format("{} has a size that is not known; '{}' holds {}", tensor.name,
                                tensor.scope, bytes_text(double(memory->bytes))));
    double bytes = double(size_of(tensor.type)) * *elements;
    int64_t taken = bytes_taken(*memory, int64_t(std::min(bytes, 0x1p62)));
    live_.push_back({tensor.scope, {tensor.name, taken}});
    MemoryUse now{tensor.scope, memory->bytes, 0, {}, {}};
    for (auto const& [scope, part] : live_) {
      if (scope != tensor.scope) continue;
      now.bytes += part.bytes;
      now.parts.push_back(part);
    }
    if (now.overflows() && status_) status_ = std::unexpected(overflow_of(now));
  }

  void check_words(StmtNode const& s) {
    std::vector<std::string> known;
    for (AnnotationWord const& word : target_.annotations) known.push_back(word.name);
    for (Annotation const& one : s.origin.annotations)
      if (std::ranges::find(known, one.word) == known.end())
        refuse("unknown_word",
               fmt::format("unknown annotation {}: {}", one.word,
                           known.empty()
                               ? fmt::format("the target {} has no annotations", target_.name)
                               : fmt::format("the annotations of the target {} are {}",
                                             target_.name, fmt::join(known, ", "))));
  }

  void check_below(Stmt const& body) {
    walk(body, [&](Stmt const& s) {
      check_words(*s);
      dispatch(*s, [&](auto const& node) { check(node); });
      auto const* alloc = s.as<Alloc>();
      if (!alloc) return bool(status_);
      size_t before = live_.size();
      enter(*alloc->buffer);
      check_below(alloc->body);
      live_.resize(before);
      return false;
    });
  }

  Target const& target_;
  std::vector<std::pair<std::string, MemoryPart>> live_;  // by memory
  Status status_;
};

Result<KernelIr> run_check_target(KernelIr const& kernel, PassContext const& context) {
  return rewrite_functions(kernel, [&](Function const& function) -> Result<Function> {
    TRY(Checking(context.target).run(function));
    if (Stmt call = call_without_register(function.body))
      return refused("register_not_set",
                     fmt::format("{} runs before the registers that it needs are set",
                                 call.to<IntrinsicCall>().intrinsic->name));
    return function;
  });
}

}  // namespace

Pass check_target() {
  return {
      "check_target",
      "Checks that the target has the types, the memories and the capacity that the kernel uses, "
      "and that calls find their registers set",
      "after tensors were compacted: how much memory the kernel needs is known; and after mode "
      "registers were set, where the target has some",
      run_check_target,
      {.needs = {Invariant::kNoBlocks, Invariant::kScalarCode}}};
}

}  // namespace tw
