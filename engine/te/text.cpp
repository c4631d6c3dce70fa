#include <fmt/format.h>

#include <set>

#include "engine/arith/known_sizes.h"
#include "engine/ir/parse_expr.h"
#include "engine/ir/text.h"
#include "engine/te/bounds.h"
#include "engine/te/narrow.h"
#include "engine/te/sizes.h"
#include "engine/te/te.h"

namespace tw::te {
namespace {

constexpr size_t kMostStages = 256;  // each one is nested in those before it, as an allocation
constexpr size_t kMostAxes = 32;     // of a list

constexpr std::string_view kCombiners[] = {"", "sum", "prod", "max", "min"};

std::string axes_text(std::vector<Axis> const& list, char const* before) {
  std::string text;
  for (Axis const& axis : list) {
    text += text.empty() ? before : ", ";
    text += fmt::format("{} in {}", axis.name,
                        axis.size.empty() ? fmt::to_string(axis.extent) : axis.size);
    if (!axis.role.empty()) text += " as " + axis.role;
  }
  return "[" + text + "]";
}

std::string stage_text(Stage const& stage) {
  char const* order = stage.scan == Scan::kJoins    ? "step "
                      : stage.scan == Scan::kBegins ? "scan "
                                                    : "";
  std::string text = fmt::format("  {}{}: {}", stage.output->name, axes_text(stage.axes, order),
                                 to_text(stage.output->type));
  if (!stage.op.empty()) text += " op " + stage.op;
  text += " = ";
  if (stage.combiner != Combiner::kNone)
    text += fmt::format("{}{} ", kCombiners[size_t(stage.combiner)], axes_text(stage.reduce, ""));
  return text + ir::to_text(stage.body) + "\n";
}

class KernelParser {
public:
  KernelParser(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  Result<Kernel> parse() {
    TRY(version());
    TRY_ASSIGN(ir::LineReader first, required_line("the kernel's header"));
    TRY_ASSIGN(std::optional<ir::LineReader> line, next_line());
    // Shapes in the header may name the sizes that stand below it.
    while (line && is_size(*line)) {
      TRY(size(*line));
      TRY_ASSIGN(line, next_line());
    }
    TRY(head(first));
    std::vector<ir::LineReader> lines;
    while (line) {
      lines.push_back(std::move(*line));
      TRY_ASSIGN(line, next_line());
    }
    for (size_t i = 0; i < lines.size(); ++i) {
      TRY(declare_recurrence(lines, i));
      TRY(stage(lines[i]));
    }
    TRY(outputs());
    kernel_ = with_wide_sums(kernel_);
    if (Status status = verify(kernel_); !status) {
      Error error = status.error();
      error.place = {file_, last_line_, 0, {}};
      return std::unexpected(error);
    }
    return kernel_;
  }

private:
  Result<std::optional<ir::LineReader>> next_line() {
    while (!text_.empty()) {
      size_t end = text_.find('\n');
      std::string_view line = text_.substr(0, end);
      text_ = end == std::string_view::npos ? std::string_view() : text_.substr(end + 1);
      ++number_;
      TRY_ASSIGN(ir::LineReader reader, ir::LineReader::create(line, file_, number_));
      if (reader.at_end()) continue;
      last_line_ = number_;
      return std::optional(std::move(reader));
    }
    return std::optional<ir::LineReader>();
  }

  Result<ir::LineReader> required_line(std::string_view what) {
    TRY_ASSIGN(std::optional<ir::LineReader> line, next_line());
    if (!line)
      return bad_input("unexpected_end", fmt::format("the file ends before {}", what),
                       Place{file_, number_ + 1, 0, {}});
    return std::move(*line);
  }

  Status version() {
    TRY_ASSIGN(ir::LineReader line, required_line("'tilewright te 1'"));
    TRY(line.expect("tilewright"));
    TRY(line.expect("te"));
    TRY_ASSIGN(int64_t version, line.integer("a version"));
    if (version != 1)
      return line.error("unknown_version",
                        fmt::format("this is te version {}; only version 1 can be read", version));
    return line.end();
  }

  /// "size n in 1..64 = 16"; "size[...]" is a tensor of that name.
  static bool is_size(ir::LineReader line) {
    return line.next().text == "size" && line.peek().kind == ir::Token::kName;
  }

  Status size(ir::LineReader& line) {
    line.next();
    Size size;
    TRY_ASSIGN(std::string name, line.name("a size's name"));
    if (!scope_.variables.emplace(name, DType::kI64).second)
      return line.error("name_taken", fmt::format("two sizes are named {}", name));
    size.range.var = ir::var(name);
    TRY(line.expect("in"));
    TRY_ASSIGN(size.range.low, line.integer("the minimum value"));
    TRY(line.expect(".."));
    TRY_ASSIGN(size.range.high, line.integer("the maximum value"));
    if (size.range.low < 1 || size.range.high < size.range.low || size.range.high > kMostSize)
      return line.error("bad_size", range_text(size));
    size.shown = size.range.high;
    if (line.accept("=")) {
      TRY_ASSIGN(size.shown, line.integer("the sample value"));
    }
    if (size.shown < size.range.low || size.shown > size.range.high)
      return line.error(
          "bad_size", fmt::format("the size {} is to be shown at {}, which is not in {}..{}", name,
                                  size.shown, size.range.low, size.range.high));
    kernel_.sizes.push_back(std::move(size));
    if (arith::size_value_count(ranges_of(kernel_)) > arith::kMostSizeValues)
      return line.error("too_many_sizes",
                        fmt::format("with {} the sizes take more than {} values together, and each "
                                    "is looked at by itself",
                                    name, arith::kMostSizeValues));
    return line.end();
  }

  /// A shape of the header: sums of sizes and numbers.
  Result<Buffer> sized(ir::LineReader const& line, Buffer const& buffer) {
    if (kernel_.sizes.empty() && !ir::constant_shape(*buffer))
      return line.error("bad_extent",
                        fmt::format("an extent of '{}' is not a number", buffer->name));
    if (ir::constant_shape(*buffer)) return buffer;
    ir::BufferNode node = *buffer;
    for (Expr& extent : node.shape) {
      auto affine = affine_extent(extent);
      if (!affine)
        return line.error(
            "bad_extent",
            fmt::format("an extent of '{}' is no sum of sizes and numbers", buffer->name));
      extent = *affine;
    }
    return std::make_shared<ir::BufferNode const>(std::move(node));
  }

  Status head(ir::LineReader& line) {
    TRY(line.expect("kernel"));
    TRY_ASSIGN(kernel_.name, line.name("the kernel's name"));
    TRY(line.expect("("));
    if (!line.accept(")")) {
      do {
        TRY_ASSIGN(Buffer read, ir::parse_input(line, scope_));
        TRY_ASSIGN(Buffer buffer, sized(line, read));
        if (!scope_.buffers.emplace(buffer->name, buffer).second)
          return line.error("name_taken", fmt::format("two tensors are named '{}'", buffer->name));
        kernel_.inputs.push_back(std::move(buffer));
      } while (line.accept(","));
      TRY(line.expect(")"));
    }
    TRY(line.expect("->"));
    bool several = line.accept("(");
    do {
      TRY_ASSIGN(std::string name, line.name("an output's name"));
      output_names_.push_back({name, line.place()});
    } while (line.accept(","));
    if (several) TRY(line.expect(")"));
    return line.end();
  }

  Result<std::vector<Axis>> axis_list(ir::LineReader& line, Stage* order) {
    std::vector<Axis> list;
    TRY(line.expect("["));
    if (line.accept("]")) return list;
    if (order) {
      if (line.accept("step"))
        order->scan = Scan::kJoins;
      else if (line.accept("scan"))
        order->scan = Scan::kBegins;
    }
    do {
      Axis axis;
      TRY_ASSIGN(axis.name, line.name("an axis's name"));
      TRY(line.expect("in"));
      TRY(extent(line, axis));
      if (line.accept("as")) {
        TRY_ASSIGN(axis.role, line.name("a role"));
      }
      if (list.size() == kMostAxes)
        return line.error("too_many_axes", fmt::format("there are more than {} axes", kMostAxes));
      list.push_back(std::move(axis));
    } while (line.accept(","));
    TRY(line.expect("]"));
    return list;
  }

  Status extent(ir::LineReader& line, Axis& axis) {
    if (kernel_.sizes.empty()) {
      TRY_ASSIGN(axis.extent, line.integer("an extent"));
    } else {
      TRY_ASSIGN(Expr read, ir::parse_expr(line, {scope_.variables, {}}));
      auto affine = affine_extent(read);
      if (!affine)
        return line.error(
            "bad_extent",
            fmt::format("the extent of '{}' is no sum of sizes and numbers", axis.name));
      if (!ir::as_int(*affine)) axis.size = ir::to_text(*affine);
      arith::KnownSizes known(ranges_of(kernel_), shown_values(kernel_));
      axis.extent = ir::as_int(known.visit(*affine)).value_or(0);
    }
    if (axis.extent < 1 || axis.extent > (int64_t(1) << 40))
      return line.error("bad_extent",
                        fmt::format("the extent of '{}' must be from 1 to 2^40", axis.name));
    return {};
  }

  /// What stands before the '='.
  struct Head {
    std::string name;
    Stage stage;
    std::optional<DType> type;
  };

  Result<Head> head_of(ir::LineReader& line) {
    Head head;
    TRY_ASSIGN(head.name, line.name("a tensor's name"));
    if (scope_.buffers.count(head.name) && !declared_.count(head.name))
      return line.error("name_taken", fmt::format("two tensors are named '{}'", head.name));
    TRY_ASSIGN(head.stage.axes, axis_list(line, &head.stage));
    if (line.accept(":")) {
      TRY_ASSIGN(std::string text, line.name("a type"));
      head.type = parse_dtype(text);
      if (!head.type) return line.error("unknown_type", fmt::format("'{}' is not a type", text));
    }
    if (line.accept("op")) {
      TRY_ASSIGN(head.stage.op, line.name("an operator's name"));
    }
    return head;
  }

  static Buffer buffer_of(Head const& head, DType type) {
    ir::BufferNode node;
    node.name = head.name;
    node.type = type;
    for (Axis const& axis : head.stage.axes) node.shape.push_back(extent_of(axis));
    return std::make_shared<ir::BufferNode const>(std::move(node));
  }

  /// The stages of a recurrence read one another: all are known before the first one is read. A
  /// line that cannot be read is an error in its turn.
  Status declare_recurrence(std::vector<ir::LineReader> const& lines, size_t first) {
    for (size_t i = first; i < lines.size() && i < first + kMostStages; ++i) {
      ir::LineReader line = lines[i];
      auto head = head_of(line);
      if (!head || head->stage.scan != (i > first ? Scan::kJoins : Scan::kBegins)) return {};
      if (!declared_.insert(head->name).second)
        return line.error("name_taken", fmt::format("two tensors are named '{}'", head->name));
      scope_.buffers[head->name] = buffer_of(*head, head->type.value_or(DType::kF32));
    }
    return {};
  }

  Status stage(ir::LineReader& line) {
    if (kernel_.stages.size() == kMostStages)
      return line.error("too_many_stages",
                        fmt::format("a kernel has at most {} stages", kMostStages));
    TRY_ASSIGN(Head head, head_of(line));
    Stage& stage = head.stage;
    TRY(line.expect("="));
    for (size_t i = 1; i < 5; ++i)
      if (line.peek().text == kCombiners[i] && stage.combiner == Combiner::kNone &&
          is_reduction(line))
        stage.combiner = Combiner(i);
    if (stage.combiner != Combiner::kNone) {
      TRY_ASSIGN(stage.reduce, axis_list(line, nullptr));
    }
    return body(line, std::move(head));
  }

  /// "max[" is a reduction, "max(" a function.
  static bool is_reduction(ir::LineReader& line) {
    ir::LineReader ahead = line;
    ahead.next();
    if (ahead.peek().text != "[") return false;
    line.next();
    return true;
  }

  Status body(ir::LineReader& line, Head head) {
    auto& [name, stage, type] = head;
    ir::ExprScope scope = scope_;
    scope.written_by_hand = true;
    for (auto const* list : {&stage.axes, &stage.reduce})
      for (Axis const& axis : *list) scope.variables[axis.name] = DType::kI64;
    TRY_ASSIGN(stage.body, ir::parse_expr(line, scope));
    TRY(line.end());
    if (type && is_float(*type) && stage.body.as<ir::IntImm>())
      stage.body = ir::float_imm(double(*ir::as_int(stage.body)), *type);
    if (type && *type != stage.body.type())
      return line.error("type_mismatch",
                        fmt::format("'{}' is declared as {}, but its expression has type {}", name,
                                    to_text(*type), to_text(stage.body.type())));
    if (stage.ordered() && !type && stage.body.type() != DType::kF32)
      return line.error("type_mismatch",
                        fmt::format("'{}' is {}: a recurrence must declare this type", name,
                                    to_text(stage.body.type())));
    declared_.erase(name);
    stage.output = buffer_of(head, stage.body.type());
    // With open sizes each of their values is looked at by itself, once the kernel is whole.
    if (Status inside = kernel_.sizes.empty() ? verify_bounds(stage) : Status(); !inside)
      return line.error_at(0, inside.error().code, inside.error().message);
    scope_.buffers[name] = stage.output;
    kernel_.stages.push_back(std::move(stage));
    return {};
  }

  Status outputs() {
    for (auto const& [name, place] : output_names_) {
      Buffer found;
      for (Stage const& stage : kernel_.stages)
        if (stage.output->name == name) found = stage.output;
      if (!found)
        return bad_input("unknown_output", fmt::format("no stage computes the output '{}'", name),
                         Place{file_, place.line, 0, {}});
      kernel_.outputs.push_back(found);
    }
    return {};
  }

  std::string_view text_;
  std::string file_;
  int number_ = 0;
  int last_line_ = 0;
  ir::ExprScope scope_;
  std::set<std::string> declared_;  ///< tensors of a recurrence whose lines are still to come
  std::vector<std::pair<std::string, Place>> output_names_;
  Kernel kernel_;
};

}  // namespace

std::string to_text(Kernel const& kernel) {
  std::string inputs, outputs;
  for (Buffer const& input : kernel.inputs) {
    std::string shape;
    for (Expr const& extent : input->shape)
      shape += (shape.empty() ? "" : ", ") + ir::to_text(extent);
    inputs +=
        fmt::format("{}{}: {}[{}]{}", inputs.empty() ? "" : ", ", input->name, to_text(input->type),
                    shape, input->scope == ir::kParameterScope ? " @param" : "");
  }
  for (Buffer const& output : kernel.outputs)
    outputs += (outputs.empty() ? "" : ", ") + output->name;
  if (kernel.outputs.size() > 1) outputs = "(" + outputs + ")";
  std::string text =
      fmt::format("tilewright te 1\nkernel {}({}) -> {}\n", kernel.name, inputs, outputs);
  for (Size const& size : kernel.sizes)
    text += fmt::format("  size {} in {}..{} = {}\n", ir::to_text(size.range.var), size.range.low,
                        size.range.high, size.shown);
  for (Stage const& stage : kernel.stages) text += stage_text(stage);
  return text;
}

Result<Kernel> parse_kernel(std::string_view text, std::string_view file) {
  return KernelParser(text, file).parse();
}

}  // namespace tw::te
