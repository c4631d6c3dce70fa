#include "tests/targets/c_source/compiler/print.h"

#include <fmt/format.h>

#include <cctype>
#include <set>

#include "engine/ir/fields.h"
#include "engine/ir/rewrite.h"
#include "engine/lowering/pipeline.h"
#include "tests/targets/c_source/compiler/expressions.h"

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

/// What all functions of a kernel share.
struct Kernel {
  std::string name;
  std::map<std::string, Lies> places;
  PrintedProgram const& lowered;
  Expressions expressions;
  CText done;  ///< functions that are complete; a loop's come before the one that calls them
  int tasks = 0;
};

/// One function under construction: the kernel itself, or the tasks of a parallel loop.
class Printer {
public:
  Printer(Kernel& kernel, std::vector<std::string> variables)
      : kernel_(kernel), variables_(std::move(variables)) {}

  void function(std::string const& head, std::vector<std::string> const& first, Stmt const& body) {
    line(head + " {");
    ++depth_;
    for (std::string const& one : first) line(one);
    pointers(body);
    statement(body);
    line("return 0;");
    --depth_;
    line("}");
    line("");
    kernel_.done.text += text_;
    kernel_.done.source_line.insert(kernel_.done.source_line.end(), source_line_.begin(),
                                    source_line_.end());
  }

private:
  void line(std::string const& text) {
    if (!text.empty()) text_ += std::string(size_t(depth_) * 2, ' ') + text;
    text_ += '\n';
    source_line_.push_back(at_);
  }
  std::string text_of(Expr const& e) { return kernel_.expressions.text(e); }
  std::string name_of(std::string const& of) { return kernel_.expressions.name(of); }
  void unsupported(std::string const& what) {
    kernel_.expressions.fail("unsupported_statement", what + " has no code on this target");
  }

  void pointers(Stmt const& body) {
    for (std::string const& tensor : tensors_of(body)) {
      auto found = kernel_.places.find(tensor);
      if (found == kernel_.places.end()) continue;  // on the stack
      Lies const& place = found->second;
      std::string type = memory_type(place.buffer->type) + (place.written ? "*" : " const*");
      std::string from = place.offset == 0 ? fmt::format("buffers[{}]", place.pointer)
                                           : fmt::format("(void*)((char*)buffers[{}] + {})",
                                                         place.pointer, place.offset);
      line(fmt::format("{} {} = {};", type, name_of(tensor), from));
    }
  }

  void statement(Stmt const& s) {
    int outside = at_;
    if (auto found = kernel_.lowered.line_of.find(s.get()); found != kernel_.lowered.line_of.end())
      at_ = found->second;
    dispatch(*s, [&](auto const& node) { print(node); });
    at_ = outside;
  }

  void print(Seq const& node) {
    for (Stmt const& child : node.stmts) statement(child);
  }
  void print(Store const& node) {
    line(fmt::format("{} = {};", kernel_.expressions.element(node.buffer, node.indices[0]),
                     text_of(node.value)));
  }
  void print(If const& node) {
    nested(fmt::format("if ({}) {{", text_of(node.condition)), node.then_body);
    if (node.else_body) nested("else {", node.else_body);
  }
  void print(For const& node) {
    if (node.loop_kind == LoopKind::kBind) return unsupported("the loop " + node.name());
    if (node.loop_kind == LoopKind::kParallel) return parallel(node);
    if (node.loop_kind == LoopKind::kUnroll)
      line(fmt::format("#pragma GCC unroll {}", as_int(node.extent).value_or(1)));
    variables_.push_back(node.name());
    nested(fmt::format("for (int64_t {0} = 0; {0} < {1}; ++{0}) {{", name_of(node.name()),
                       text_of(node.extent)),
           node.body);
    variables_.pop_back();
  }
  void print(Alloc const& node) {
    if (node.buffer->scope == kWorkspaceScope) return statement(node.body);
    if (node.buffer->scope != kStackScope)
      return unsupported("memory '" + node.buffer->scope + "'");
    line("{");
    ++depth_;
    line(fmt::format("_Alignas(64) {} {}[{}];", memory_type(node.buffer->type),
                     name_of(node.buffer->name), text_of(node.buffer->shape[0])));
    statement(node.body);
    --depth_;
    line("}");
  }
  void print(Prefetch const& node) {
    auto const& element = node.element.to<Load>();
    line(fmt::format("__builtin_prefetch(&{});",
                     kernel_.expressions.element(element.buffer, element.indices[0])));
  }
  void print(Block const& node) { unsupported("the block " + node.name); }
  void print(Let const& node) { unsupported("the name " + node.var.to<Variable>().name); }
  void print(IntrinsicCall const& node) { unsupported(node.intrinsic->name); }

  void nested(std::string const& head, Stmt const& body) {
    line(head);
    ++depth_;
    statement(body);
    --depth_;
    line("}");
  }

  /// The body becomes a function of its own, which gets the variables around it as numbers.
  void parallel(For const& node) {
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
    Printer(kernel_, std::move(inside))
        .function(
            fmt::format("static int32_t {}(void* closure, int64_t {})", task, name_of(node.name())),
            first, node.body);
    line("{");
    ++depth_;
    line(fmt::format("int64_t captured[] = {{{}}};", captured));
    line(fmt::format("int32_t code = runtime->parallel_for(runtime->pool, {}, {}, captured);",
                     text_of(node.extent), task));
    line("if (code != 0) return code;");
    --depth_;
    line("}");
  }

  Kernel& kernel_;
  std::vector<std::string> variables_;  ///< of the loops around, outermost first
  std::string text_;
  std::vector<int32_t> source_line_;
  int depth_ = 0;
  int32_t at_ = 0;
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
  Kernel kernel{c_name(lowered.host.name), places_of(lowered), text, {}, {}};
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
