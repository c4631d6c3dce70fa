#include "tests/targets/launches/compiler/cut.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/ir/rewrite.h"
#include "engine/lowering/pipeline.h"
#include "tests/targets/c_source/compiler/print.h"

namespace tw::launches {

using namespace ir;

namespace {

constexpr int64_t kThreads = 4;  ///< of a block

/// A part of the kernel that is started at once.
struct Nest {
  Stmt body;
  std::set<std::string> reads, writes;
};

bool is_in_workspace(Alloc const* alloc) {
  return alloc != nullptr && alloc->buffer->scope == kWorkspaceScope;
}

void collect(Stmt const& s, std::vector<Nest>& nests) {
  if (auto const* seq = s.as<Seq>()) {
    for (Stmt const& child : seq->stmts) collect(child, nests);
    return;
  }
  if (auto const* alloc = s.as<Alloc>(); is_in_workspace(alloc)) return collect(alloc->body, nests);
  Nest nest{s, {}, {}};
  walk_reads(s, [&](Touched const& at) { nest.reads.insert(at.buffer->name); });
  walk_writes(s, [&](Touched const& at) { nest.writes.insert(at.buffer->name); });
  nests.push_back(std::move(nest));
}

bool share(std::set<std::string> const& one, std::set<std::string> const& other) {
  return std::ranges::any_of(one, [&](std::string const& name) { return other.contains(name); });
}

/// The later one must wait for the earlier.
bool depends(Nest const& later, Nest const& earlier) {
  return share(later.reads, earlier.writes) || share(later.writes, earlier.reads) ||
         share(later.writes, earlier.writes);
}

/// Iterations that may run at once; nothing: it is one thread's.
std::optional<int64_t> tasks_of(Nest const& nest) {
  auto const* loop = nest.body.as<For>();
  if (!loop || loop->loop_kind != LoopKind::kParallel) return std::nullopt;
  auto extent = as_int(loop->extent);
  return extent && *extent > 0 ? extent : std::nullopt;
}

/// The kernel with this nest alone. All tensors of the kernel's workspace are still around it, or
/// its own would lie elsewhere than the other nests take them to be.
KernelIr alone(KernelIr const& kernel, Nest const& nest, size_t index) {
  KernelIr one = kernel;
  one.host.name += fmt::format("_nest{}", index);
  one.host.body = nest.body;
  walk(kernel.host.body, [&](Stmt const& s) {
    if (auto const* alloc = s.as<Alloc>(); is_in_workspace(alloc))
      one.host.body = make<Alloc>(alloc->buffer, one.host.body);
    return true;
  });
  return one;
}

class Cutting {
public:
  explicit Cutting(std::vector<Nest> const& nests) : nests_(nests) {}

  /// The host's function: TRY returns the code of what fails.
  std::string host(std::string const& symbol, size_t buffers) {
    line("int32_t {}(void* const* buffers, TwRuntime const* runtime) {{", symbol);
    line("  void* device = runtime->device;");
    line("  TwStream streams[2] = {{0}};");
    line("  TwEvent event;");
    if (nests_.size() > 1) fork();
    for (size_t i = 0; i < nests_.size(); ++i) start(symbol, i, buffers);
    if (nests_.size() > 1) after(nests_.size() + 1, 1, 0);
    line("  return 0;\n}}\n");
    return std::move(text_);
  }

private:
  template <typename... Values>
  void line(fmt::format_string<Values...> format, Values&&... values) {
    text_ += fmt::format(format, std::forward<Values>(values)...) + "\n";
  }
  void record(size_t event, size_t on) {
    line("  TRY(runtime->get_event(device, {}, &event));", event);
    line("  TRY(runtime->record(device, event, streams[{}]));", on);
  }
  void await(size_t event, size_t on) {
    line("  TRY(runtime->get_event(device, {}, &event));", event);
    line("  TRY(runtime->wait_event(device, streams[{}], event));", on);
  }
  void after(size_t event, size_t of, size_t on) {
    record(event, of);
    await(event, on);
  }
  /// The other stream begins where the kernel's own is.
  void fork() {
    line("  TRY(runtime->get_stream(device, 0, &streams[1]));");
    after(nests_.size(), 0, 1);
  }
  void start(std::string const& symbol, size_t index, size_t buffers) {
    Nest const& nest = nests_[index];
    size_t on = index % 2;
    for (size_t before = 0; before < index; ++before)
      if (before % 2 != on && depends(nest, nests_[before])) await(before, on);
    int64_t tasks = tasks_of(nest).value_or(1), threads = std::min(tasks, kThreads);
    line("  TRY(start(runtime, \"device_{}_{}\", {}, {}, buffers, {}, streams[{}]));", symbol,
         index, (tasks + threads - 1) / threads, threads, buffers, on);
    record(index, on);
  }

  std::vector<Nest> const& nests_;
  std::string text_;
};

/// What the device calls: a thread of a parallel nest does the task that is its own.
std::string device_function(std::string const& name, std::string const& nest, bool parallel) {
  return fmt::format(
      "int32_t {}(void const* packed, LaunchPoint const* at) {{\n"
      "  Turn turn = {{(int64_t)at->block_index[0] * at->block[0] + at->thread[0], {}}};\n"
      "  TwRuntime runtime = {{1, own_task, &turn}};\n"
      "  return {}((void* const*)packed, &runtime);\n"
      "}}\n\n",
      name, parallel ? 0 : 1, nest);
}

}  // namespace

Result<LaunchedText> cut_into_launches(KernelIr const& kernel, PrintedProgram const& lowered) {
  std::vector<Nest> nests;
  collect(kernel.host.body, nests);
  TRY_ASSIGN(c_source::CText whole, c_source::print_c(kernel, lowered));
  LaunchedText text{.symbol = whole.symbol,
                    .host = {},
                    .device = {},
                    .source_line = {},
                    .helpers = whole.helpers};
  for (size_t i = 0; i < nests.size(); ++i) {
    TRY_ASSIGN(c_source::CText c, c_source::print_c(alone(kernel, nests[i], i), lowered));
    std::string calls = device_function(fmt::format("device_{}_{}", whole.symbol, i), c.symbol,
                                        tasks_of(nests[i]).has_value());
    text.device += c.text + calls;
    text.source_line.insert(text.source_line.end(), c.source_line.begin(), c.source_line.end());
    text.source_line.insert(text.source_line.end(), size_t(std::ranges::count(calls, '\n')), 0);
    text.helpers.insert(c.helpers.begin(), c.helpers.end());
  }
  text.host = Cutting(nests).host(whole.symbol, kernel.host.params.size() + 1);
  return text;
}

}  // namespace tw::launches
