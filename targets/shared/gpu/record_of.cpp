#include "targets/shared/gpu/record_of.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/ir/fields.h"
#include "engine/ir/intrinsic.h"
#include "engine/ir/kernel.h"
#include "engine/ir/rewrite.h"
#include "engine/lowering/pipeline.h"
#include "targets/shared/gpu/launch_shape.h"

namespace tw::gpu {

using namespace ir;
using namespace launch_record;

namespace {

std::optional<Number::Kind> kind_of(BinaryOp op) {
  switch (op) {
    case BinaryOp::kAdd:
      return Number::Kind::kAdd;
    case BinaryOp::kSub:
      return Number::Kind::kSub;
    case BinaryOp::kMul:
      return Number::Kind::kMul;
    case BinaryOp::kFloorDiv:
      return Number::Kind::kFloorDiv;
    case BinaryOp::kFloorMod:
      return Number::Kind::kFloorMod;
    case BinaryOp::kMin:
      return Number::Kind::kMin;
    case BinaryOp::kMax:
      return Number::Kind::kMax;
    default:
      return std::nullopt;
  }
}

/// The host's function from its statements.
class Recording {
public:
  Recording(KernelIr const& kernel, std::vector<LaunchedCode> const& made)
      : kernel_(kernel), made_(made), offsets_(workspace_layout(kernel)) {}

  Result<KernelRecord> run(std::string symbol) {
    record_.symbol = std::move(symbol);
    record_.buffers = int32_t(kernel_.host.params.size() + 1);
    record(kernel_.host.body);
    TRY(status_);
    record_.sizes = int32_t(sizes_.size());
    return std::move(record_);
  }

private:
  void record(Stmt const& s) {
    if (auto const* list = s.as<Seq>()) {
      for (Stmt const& child : list->stmts) record(child);
      return;
    }
    if (auto const* alloc = s.as<Alloc>()) return record(alloc->body);
    if (auto const* let = s.as<Let>(); let && is_size(*let)) return record(let->body);
    if (auto const* loop = s.as<For>()) return repeat(*loop);
    auto const* call = s.as<IntrinsicCall>();
    if (call && !call->intrinsic->function.empty()) return launch(*call);
    fail(first_line(s));
  }

  /// A record has no loops: each step is written out.
  void repeat(For const& loop) {
    auto extent = as_int(loop.extent);
    if (!extent) return fail("for " + loop.name());
    for (int64_t i = 0; i < *extent && status_; ++i) {
      counters_[loop.name()] = i;
      record(loop.body);
    }
    counters_.erase(loop.name());
  }

  /// "n = sizes[2]"
  bool is_size(Let const& let) {
    auto const* read = let.value.as<Load>();
    auto element = read ? as_int(read->indices[0]) : std::nullopt;
    if (!element || read->buffer->name != kernel_.host.params[0]->name) return false;
    sizes_[let.var.to<Variable>().name] = *element;
    return true;
  }

  void launch(IntrinsicCall const& call) {
    auto at = std::ranges::find(kernel_.device, call.intrinsic->function, &Function::name);
    LaunchedCode const& code = made_[size_t(at - kernel_.device.begin())];
    auto shape = launch_shape(*at);
    if (!shape) {
      status_ = std::unexpected(shape.error());
      return;
    }
    Launch launch{.function = code.name, .grid = {}, .block = {}, .arguments = {}};
    for (size_t i = 0; i < 3; ++i) {
      launch.grid[i] = number(shape->grid[i]);
      launch.block[i] = Number::constant(shape->block[i]);
    }
    for (Buffer const& tensor : at->params) launch.arguments.push_back(argument(*tensor));
    for (SizeParam const& size : at->sizes)
      launch.arguments.push_back(NumberArgument{number(size.var)});
    if (code.takes_fault) launch.arguments.push_back(FaultArgument{});
    launch.shared_bytes = code.shared_bytes;
    if (record_.launches.size() == kMostLaunches) return too_many();
    record_.launches.push_back(std::move(launch));
  }

  void too_many() {
    if (status_)
      status_ = refused("unsupported_statement",
                        fmt::format("'{}' would be started with more than {} launches",
                                    kernel_.host.name, kMostLaunches));
  }

  BufferArgument argument(BufferNode const& tensor) {
    auto bytes = int32_t(size_of(tensor.type));
    auto const& params = kernel_.host.params;
    auto param = std::ranges::find(params, tensor.name, &BufferNode::name);
    if (param != params.end()) return {int32_t(param - params.begin()), 0, bytes};
    return {int32_t(params.size()), offsets_.at(tensor.name), bytes};
  }

  Number number(Expr const& e) {
    Number made;
    append(e, made.steps);
    return made;
  }

  void append(Expr const& e, std::vector<Number::Step>& steps) {
    if (auto value = as_int(e)) return steps.push_back({Number::Kind::kConstant, *value});
    if (auto const* used = e.as<Variable>()) {
      if (auto found = counters_.find(used->name); found != counters_.end())
        return steps.push_back({Number::Kind::kConstant, found->second});
      if (auto found = sizes_.find(used->name); found != sizes_.end())
        return steps.push_back({Number::Kind::kSize, found->second});
    }
    auto const* node = e.as<Binary>();
    auto kind = node ? kind_of(node->op) : std::nullopt;
    if (!kind) return fail(to_text(e));
    append(node->a, steps);
    append(node->b, steps);
    steps.push_back({*kind, 0});
  }

  void fail(std::string const& what) {
    if (status_)
      status_ = refused("unsupported_statement",
                        fmt::format("'{}' has no place in a host's record of launches", what));
  }

  KernelIr const& kernel_;
  std::vector<LaunchedCode> const& made_;
  std::map<std::string, int64_t> offsets_;
  std::map<std::string, int64_t> sizes_;
  std::map<std::string, int64_t> counters_;  ///< of the loops around, in this iteration
  KernelRecord record_;
  Status status_;
};

}  // namespace

Result<KernelRecord> record_of(KernelIr const& kernel, std::string symbol,
                               std::vector<LaunchedCode> const& made) {
  return Recording(kernel, made).run(std::move(symbol));
}

}  // namespace tw::gpu
