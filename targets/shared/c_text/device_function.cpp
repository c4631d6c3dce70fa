#include "targets/shared/c_text/device_function.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "engine/arith/known_sizes.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/tensor_uses.h"
#include "engine/lowering/pipeline.h"

namespace tw::c_text {

using namespace ir;

namespace {

class DevicePrinter final : public Statements {
public:
  using Statements::Statements;

  /// What the threads of a block share is declared once, before anything else.
  void shared_tensors(Stmt const& body, KernelHead const& head, GivenShared const& given) {
    if (!given.empty()) line(std::string(head.given_shared));
    std::set<std::string> seen;
    walk(body, [&](Stmt const& s) {
      auto const* alloc = s.as<Alloc>();
      if (!alloc || alloc->buffer->scope != kSharedScope ||
          !seen.insert(alloc->buffer->name).second)
        return true;
      auto at = given.find(alloc->buffer->name);
      line(at == given.end() ? declaration(*alloc->buffer) + ";"
                             : place_in(head.given_name, *alloc->buffer, at->second));
      return true;
    });
  }

  /// Loops of blocks and threads, and what a thread has all along, stand around everything: they
  /// are the function's own.
  void body_of(Stmt const& s) {
    if (auto const* alloc = s.as<Alloc>()) {
      if (alloc->buffer->scope == kStackScope) line(declaration(*alloc->buffer) + ";");
      return body_of(alloc->body);
    }
    auto const* loop = s.as<For>();
    if (!loop || loop->loop_kind != LoopKind::kBind) return statement(s);
    if (!counter(*loop)) return;
    with_counter(*loop, [&] { body_of(loop->body); });
  }

protected:
  void print_bound(For const& loop) override {
    open("");
    if (counter(loop)) with_counter(loop, [&] { statement(loop.body); });
    close();
  }
  void print_allocation(Alloc const& alloc) override {
    if (alloc.buffer->scope == kSharedScope) return statement(alloc.body);
    Statements::print_allocation(alloc);
  }

private:
  /// "float* const T = (float*)(given + 256);"
  std::string place_in(std::string_view given, BufferNode const& tensor, int64_t byte) {
    return fmt::format("{0}* const {1} = ({0}*)({2} + {3});",
                       expressions_.dialect().type(tensor.type),
                       expressions_.tensor_name(tensor.name), given, byte);
  }

  bool counter(For const& loop) {
    auto const& axes = expressions_.dialect().axes;
    auto axis = axes.find(loop.bind);
    if (axis == axes.end()) return unsupported("the axis " + loop.bind), false;
    line(fmt::format("{} const {} = {};", counter_type(loop),
                     expressions_.variable_name(loop.name()), axis->second));
    return true;
  }
};

std::string c_name(std::string name) {
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return "tw_" + name;
}

std::string with_threads(std::string_view head, std::array<int64_t, 3> const& block) {
  std::string text;
  for (size_t i = 0; i < head.size(); ++i) {
    if (head[i] != '%') {
      text += head[i];
      continue;
    }
    char which = head[++i];
    text +=
        std::to_string(which == 'n' ? block[0] * block[1] * block[2] : block[size_t(which - 'x')]);
  }
  return text;
}

std::string begin_of(std::string const& tensor) { return tensor + "_begin"; }

std::string replaced(std::string text, char mark, std::string const& by) {
  size_t at = text.find(mark);
  return at == std::string::npos ? text : text.replace(at, 1, by);
}

std::string number_of(KernelHead const& head, std::string const& type) {
  return replaced(std::string(head.number), '@', type);
}

/// Where a host finds each, and what no host hands over.
void add_places(KernelHead const& head, std::vector<std::string>& list) {
  for (size_t i = 0; i < list.size(); ++i)
    list[i] += replaced(std::string(head.place), '#', std::to_string(i));
  list.insert(list.end(), head.last.begin(), head.last.end());
}

std::vector<std::string> parameters(Expressions& expressions, KernelHead const& head,
                                    Function const& function) {
  TensorUses uses = tensor_uses(function.body);
  Dialect const& dialect = expressions.dialect();
  std::vector<std::string> list;
  for (Buffer const& tensor : function.params) {
    std::string name = expressions.tensor_name(tensor->name);
    bool alone = !head.restrict_word.empty() && !uses.is_exchanged(tensor->name);
    list.push_back(fmt::format("{}{}{}* {}{}{}", head.pointer, dialect.type(tensor->type),
                               uses.written.contains(tensor->name) ? "" : " const",
                               alone ? head.restrict_word : "", alone ? " " : "", name));
    if (head.has_begins)
      list.push_back(number_of(head, dialect.type(DType::kI64)) + " " +
                     expressions.tensor_name(begin_of(tensor->name)));
  }
  for (SizeParam const& size : function.sizes)
    list.push_back(fmt::format("{} {}", number_of(head, expressions.index_type(std::nullopt)),
                               expressions.variable_name(size.var.to<Variable>().name)));
  return list;
}

/// The parameters behind `head`, in lines.
std::string joined(std::vector<std::string> const& list, std::string const& head) {
  std::string text = head + "(";
  size_t indent = text.size() - (text.rfind('\n') + 1), column = indent;
  for (size_t i = 0; i < list.size(); ++i) {
    bool breaks = i > 0 && column + list[i].size() > 98;
    text += i == 0 ? "" : breaks ? ",\n" + std::string(indent, ' ') : ", ";
    column = (breaks ? indent : column + 2) + list[i].size();
    text += list[i];
  }
  return text + ")";
}

}  // namespace

Lines file_of(std::vector<DeviceText> const& functions) {
  std::map<std::string, std::string> helpers;
  for (DeviceText const& one : functions) helpers.insert(one.helpers.begin(), one.helpers.end());
  Lines file;
  for (auto const& [name, text] : helpers) file.text += text + "\n";
  file.source_line.resize(size_t(std::ranges::count(file.text, '\n')));
  for (DeviceText const& one : functions) {
    file.text += one.lines.text;
    file.source_line.insert(file.source_line.end(), one.lines.source_line.begin(),
                            one.lines.source_line.end());
  }
  return file;
}

Result<DeviceText> print_device_function(Dialect const& dialect, KernelHead const& head,
                                         Function const& function,
                                         std::array<int64_t, 3> const& block,
                                         PrintedProgram const& lowered, GivenShared const& given,
                                         OwnCalls const& own_calls) {
  Expressions expressions(dialect);
  expressions.ranges() = arith::ranges_of(function.sizes);
  std::vector<std::string> list = parameters(expressions, head, function);
  DevicePrinter printer(expressions, lowered);
  printer.set_own_calls(own_calls);
  printer.open("");
  if (head.has_begins)
    for (Buffer const& tensor : function.params)
      printer.line(fmt::format("{} += {};", expressions.tensor_name(tensor->name),
                               expressions.tensor_name(begin_of(tensor->name))));
  printer.shared_tensors(function.body, head, given);
  printer.body_of(function.body);
  printer.close();
  TRY(expressions.status());
  DeviceText made{.name = c_name(function.name), .lines = printer.lines()};
  if (expressions.names_fault()) list.push_back(std::string(dialect.fault_type) + " fault");
  made.parameters = list.size();
  add_places(head, list);
  std::string first = joined(list, with_threads(head.before, block) + "void " + made.name) + " ";
  made.lines.text = first + made.lines.text + "\n";
  auto more = size_t(std::ranges::count(first, '\n'));
  made.lines.source_line.insert(made.lines.source_line.begin(), more, 0);
  made.lines.source_line.push_back(0);
  made.helpers = expressions.helpers();
  made.names_fault = expressions.names_fault();
  return made;
}

}  // namespace tw::c_text
