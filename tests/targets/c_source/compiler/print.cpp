#include "tests/targets/c_source/compiler/print.h"

#include <fmt/format.h>

#include <cctype>
#include <set>

#include "engine/ir/fields.h"
#include "engine/ir/rewrite.h"
#include "engine/lowering/pipeline.h"
#include "targets/shared/c_text/statements.h"

namespace tw::c_source {

using namespace ir;

// The first version of the table in engine/runtime/abi.h, and no later one: libraries of C stand
// for those that were compiled when there was no other.
char const kPrelude[] =
    "#include <math.h>\n"
    "#include <signal.h>\n"
    "#include <stdint.h>\n"
    "\n"
    "typedef struct TwRuntime {\n"
    "  uint32_t version;\n"
    "  int32_t (*parallel_for)(void*, int64_t, int32_t (*)(void*, int64_t), void*);\n"
    "  void* pool;\n"
    "} TwRuntime;\n"
    "\n";

namespace {

/// Where a tensor lies: the number of its pointer among those that a kernel gets, and bytes on.
struct Lies {
  Buffer buffer;
  size_t pointer = 0;
  int64_t offset = 0;
  bool written = true;
};

std::map<std::string, Lies> places_of(KernelIr const& kernel) {
  std::map<std::string, Lies> places;
  std::vector<Buffer> const& params = kernel.host.params;
  for (size_t i = 0; i < params.size(); ++i) places[params[i]->name] = {params[i], i, 0, false};
  walk_writes(kernel.host.body, [&](Touched const& at) {
    if (auto found = places.find(at.buffer->name); found != places.end())
      found->second.written = true;
  });
  auto offsets = workspace_layout(kernel);
  walk(kernel.host.body, [&](Stmt const& s) {
    auto const* alloc = s.as<Alloc>();
    if (alloc && alloc->buffer->scope == kWorkspaceScope)
      places[alloc->buffer->name] = {alloc->buffer, params.size(), offsets[alloc->buffer->name]};
    return true;
  });
  return places;
}

std::set<std::string> tensors_of(Stmt const& body) {
  std::set<std::string> names;
  walk(body, [&](Stmt const& s) {
    if (auto const* store = s.as<Store>()) names.insert(store->buffer->name);
    return true;
  });
  walk_exprs(body, [&](Expr const& e) {
    if (auto const* load = e.as<Load>()) names.insert(load->buffer->name);
    return true;
  });
  return names;
}

std::string memory_type(DType type) {
  if (type == DType::kF32) return "float";
  if (type == DType::kF64) return "double";
  if (type == DType::kBool) return "uint8_t";
  return fmt::format("{}int{}_t", is_signed(type) ? "" : "u", size_of(type) * 8);
}

/// Signed numbers wrap: the processor says so to its compiler.
c_text::Dialect const& dialect() {
  static c_text::Dialect const made{
      .name = "C",
      .reserved = " TwRuntime buffers runtime captured closure code ",
      .type = memory_type,
      .wraps = true,
      .on_division_by_zero = "raise(SIGFPE);",
      .scopes = {{kStackScope, "_Alignas(64) "}},
  };
  return made;
}

/// What all functions of a kernel share.
struct Kernel {
  std::string name;
  std::map<std::string, Lies> places;
  PrintedProgram const& lowered;
  c_text::Expressions expressions{dialect()};
  CText done = {};  ///< functions that are complete; a loop's come before the one that calls them
  int tasks = 0;
};

/// One function under construction: the kernel itself, or the tasks of a parallel loop.
class Printer final : public c_text::Statements {
public:
  Printer(Kernel& kernel, std::vector<std::string> variables)
      : Statements(kernel.expressions, kernel.lowered),
        kernel_(kernel),
        variables_(std::move(variables)) {}

  void function(std::string const& head, std::vector<std::string> const& first, Stmt const& body) {
    open(head);
    for (std::string const& one : first) line(one);
    pointers(body);
    statement(body);
    line("return 0;");
    close();
    line("");
    kernel_.done.text += lines().text;
    kernel_.done.source_line.insert(kernel_.done.source_line.end(), lines().source_line.begin(),
                                    lines().source_line.end());
  }

protected:
  /// The body becomes a function of its own, which gets the variables around it as numbers.
  void print_parallel(For const& node) override {
    std::string task = fmt::format("tw_task{}_{}", kernel_.tasks++, kernel_.name);
    std::vector<std::string> first{"int64_t const* captured = closure;",
                                   "void* const* buffers = (void* const*)captured[0];",
                                   "TwRuntime const* runtime = (TwRuntime const*)captured[1];"};
    std::string captured = "(int64_t)buffers, (int64_t)runtime";
    for (size_t i = 0; i < variables_.size(); ++i) {
      first.push_back(fmt::format("int64_t {} = captured[{}];", name_of(variables_[i]), i + 2));
      captured += ", " + name_of(variables_[i]);
    }
    std::vector<std::string> inside = variables_;
    inside.push_back(node.name());
    std::string head =
        fmt::format("static int32_t {}(void* closure, int64_t {})", task, name_of(node.name()));
    with_counter(node,
                 [&] { Printer(kernel_, std::move(inside)).function(head, first, node.body); });
    open("");
    line(fmt::format("int64_t captured[] = {{{}}};", captured));
    line(fmt::format("int32_t code = runtime->parallel_for(runtime->pool, {}, {}, captured);",
                     expressions_.text(node.extent), task));
    line("if (code != 0) return code;");
    close();
  }
  std::string hint_of(For const& loop) const override {
    return loop.loop_kind == LoopKind::kUnroll
               ? fmt::format("#pragma GCC unroll {}", as_int(loop.extent).value_or(1))
               : "";
  }
  void print_prefetch(Load const& element) override {
    line(fmt::format("__builtin_prefetch(&{});",
                     expressions_.element(element.buffer, element.indices[0])));
  }
  void enter(For const& loop) override { variables_.push_back(loop.name()); }
  void leave(For const&) override { variables_.pop_back(); }

private:
  std::string name_of(std::string const& of) { return expressions_.variable_name(of); }

  void pointers(Stmt const& body) {
    for (std::string const& tensor : tensors_of(body)) {
      auto found = kernel_.places.find(tensor);
      if (found == kernel_.places.end()) continue;  // on the stack
      Lies const& place = found->second;
      std::string type = memory_type(place.buffer->type) + (place.written ? "*" : " const*");
      std::string from = place.offset == 0 ? fmt::format("buffers[{}]", place.pointer)
                                           : fmt::format("(void*)((char*)buffers[{}] + {})",
                                                         place.pointer, place.offset);
      line(fmt::format("{} {} = {};", type, expressions_.tensor_name(tensor), from));
    }
  }

  Kernel& kernel_;
  std::vector<std::string> variables_;  ///< of the loops around, outermost first
};

/// A kernel may have the name of a function of C's own library, or one that is none in C.
std::string c_name(std::string name) {
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

}  // namespace

Result<CText> print_c(KernelIr const& lowered, PrintedProgram const& text) {
  if (!lowered.host.sizes.empty())
    return refused("unsupported_statement", "a size that is not known has no code on this target");
  Kernel kernel{.name = c_name(lowered.host.name), .places = places_of(lowered), .lowered = text};
  std::string symbol = "tw_kernel_" + kernel.name;
  Printer(kernel, {})
      .function(fmt::format("int32_t {}(void* const* buffers, TwRuntime const* runtime)", symbol),
                {}, lowered.host.body);
  TRY(kernel.expressions.status());
  kernel.done.symbol = symbol;
  kernel.done.helpers = kernel.expressions.helpers();
  return std::move(kernel.done);
}

}  // namespace tw::c_source
