#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/ir/annotations.h"
#include "engine/ir/index_map.h"
#include "engine/ir/intrinsic.h"
#include "engine/ir/kernel.h"
#include "engine/ir/loop_words.h"
#include "engine/ir/parse_call.h"
#include "engine/ir/parse_expr.h"
#include "engine/ir/parse_hint.h"
#include "engine/ir/stmt.h"

namespace tw::ir {
namespace {

constexpr int kMaxDepth = 400;  // loops and allocations within one another

struct Line {
  int indent = 0;
  LineReader reader;
};

Result<std::vector<Line>> read_lines(std::string_view text, std::string_view file) {
  std::vector<Line> lines;
  int number = 0;
  while (!text.empty()) {
    size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    ++number;
    TRY_ASSIGN(LineReader reader, LineReader::create(line, std::string(file), number));
    if (reader.at_end()) continue;
    auto spaces = int(line.find_first_not_of(' '));
    lines.push_back({spaces / 2, std::move(reader)});
  }
  return lines;
}

/// Reads the statements of a program or a kernel line by line; an indented group is a body.
class ProgramParser {
public:
  ProgramParser(std::vector<Line> lines, std::string file)
      : lines_(std::move(lines)), file_(std::move(file)) {}

  Result<Program> parse() {
    TRY(first_line("program", "a head and a body"));
    TRY(intrinsics("program"));
    LineReader& head = lines_[at_++].reader;
    TRY(head.expect("program"));
    TRY_ASSIGN(program_.name, head.name("the program's name"));
    TRY_ASSIGN(program_.sizes, sizes());
    TRY(buffers(head, program_.inputs, &ProgramParser::input));
    TRY(head.expect("->"));
    TRY(buffers(head, program_.outputs, &ProgramParser::input));
    TRY(head.end());
    TRY_ASSIGN(program_.body, statements(1));
    if (at_ < lines_.size())
      return lines_[at_].reader.error("bad_indent",
                                      "this line is indented less than the program's body");
    TRY(verify(program_));
    return program_;
  }

  Result<Intrinsic> parse_intrinsic() {
    if (lines_.empty() || lines_[0].reader.peek().text != "intrinsic")
      return bad_input("not_an_intrinsic", "a declaration starts with 'intrinsic'",
                       Place{file_, 1, 0, {}});
    TRY(intrinsic());
    if (at_ < lines_.size())
      return lines_[at_].reader.error("bad_indent", "expected one declaration");
    return intrinsics_.begin()->second;
  }

  Result<KernelIr> parse_kernel() {
    TRY(first_line("kernel", "a host function and its body"));
    KernelIr kernel;
    TRY(intrinsics("kernel"));
    TRY_ASSIGN(kernel.host, function("host"));
    while (at_ < lines_.size()) {
      TRY_ASSIGN(Function next, function("device"));
      kernel.device.push_back(std::move(next));
    }
    TRY(verify(kernel));
    return kernel;
  }

private:
  Status first_line(std::string_view kind, std::string_view below) {
    if (lines_.size() < 3)
      return bad_input(fmt::format("not_a_{}", kind),
                       fmt::format("a {0} starts with 'tilewright {0} 1', {1}", kind, below),
                       Place{file_, 1, 0, {}});
    LineReader& first = lines_[at_++].reader;
    TRY(first.expect("tilewright"));
    TRY(first.expect(kind));
    TRY_ASSIGN(int64_t version, first.integer("a version"));
    if (version == 1) return {};
    return first.error(
        "unknown_version",
        fmt::format("this is {} version {}; only version 1 can be read", kind, version));
  }

  /// A function's names are its own.
  Result<Function> function(std::string_view word) {
    Function function;
    scope_ = {.intrinsics = intrinsics_};
    LineReader& head = lines_[at_++].reader;
    TRY(head.expect(word));
    TRY_ASSIGN(function.name, head.name("a function's name"));
    TRY_ASSIGN(function.sizes, sizes());
    TRY(buffers(head, function.params, &ProgramParser::parameter));
    TRY(head.end());
    TRY_ASSIGN(function.body, statements(1));
    return function;
  }

  /// They stand below the head, whose shapes may name them: they are read before its buffers.
  Result<std::vector<SizeParam>> sizes() {
    std::vector<SizeParam> list;
    while (at_ < lines_.size() && lines_[at_].reader.peek().text == "size") {
      TRY_ASSIGN(SizeParam next, size());
      list.push_back(std::move(next));
    }
    return list;
  }

  Result<Buffer> input(LineReader& reader) { return parse_input(reader, scope_); }
  /// "T: f32[16] @stack"; without a scope it is global.
  Result<Buffer> parameter(LineReader& reader) {
    TRY_ASSIGN(Buffer buffer, parse_buffer(reader, scope_));
    if (reader.peek().text != "@") return buffer;
    return scoped(reader, *buffer);
  }
  /// "align(0, 32, 1)": dimension, factor, offset.
  static Result<std::vector<StrideAlignment>> alignments(LineReader& reader) {
    std::vector<StrideAlignment> list;
    while (reader.accept("align")) {
      StrideAlignment one;
      TRY(reader.expect("("));
      TRY_ASSIGN(int64_t dimension, reader.integer("a dimension"));
      TRY(reader.expect(","));
      TRY_ASSIGN(one.factor, reader.integer("a factor"));
      TRY(reader.expect(","));
      TRY_ASSIGN(one.offset, reader.integer("an offset"));
      TRY(reader.expect(")"));
      one.dimension = int(std::clamp<int64_t>(dimension, -1, INT_MAX));
      list.push_back(one);
    }
    return list;
  }
  /// "map(i, j -> i, j ^ 1)"
  static Result<std::shared_ptr<IndexMap const>> map(LineReader& reader) {
    if (!reader.accept("map")) return nullptr;
    TRY(reader.expect("("));
    TRY_ASSIGN(auto parsed, parse_index_map(reader));
    TRY(reader.expect(")"));
    return parsed;
  }
  static Result<Buffer> scoped(LineReader& reader, BufferNode node) {
    TRY(reader.expect("@"));
    TRY_ASSIGN(node.scope, reader.name("a memory scope"));
    return std::make_shared<BufferNode const>(std::move(node));
  }

  /// They stand before the head.
  Status intrinsics(std::string_view kind) {
    while (at_ < lines_.size() && lines_[at_].reader.peek().text == "intrinsic") TRY(intrinsic());
    if (at_ < lines_.size()) return {};
    return lines_.back().reader.error(fmt::format("not_a_{}", kind), "there is no head");
  }

  /// "mode = 1, stride = n"
  Result<std::vector<RegisterValue>> registers(LineReader& reader) {
    std::vector<RegisterValue> list;
    do {
      RegisterValue one;
      TRY_ASSIGN(one.name, reader.name("a register's name"));
      TRY(reader.expect("="));
      TRY_ASSIGN(one.value, parse_expr(reader, scope_));
      list.push_back(std::move(one));
    } while (reader.accept(","));
    return list;
  }

  /// A declaration, with its behaviour indented below it.
  Status intrinsic() {
    LineReader& reader = lines_[at_++].reader;
    reader.next();
    IntrinsicNode node;
    ExprScope outer = std::exchange(scope_, {});
    TRY_ASSIGN(node.name, reader.name("the intrinsic's name"));
    TRY(reader.expect("("));
    if (!reader.accept(")")) {
      do {
        TRY_ASSIGN(IntrinsicParam param, parse_intrinsic_param(reader, scope_));
        node.params.push_back(std::move(param));
      } while (reader.accept(","));
      TRY(reader.expect(")"));
    }
    node.barrier = reader.accept("barrier");
    for (Completion one :
         {Completion::kStarted, Completion::kCommits, Completion::kWaits, Completion::kOpens,
          Completion::kArrives, Completion::kDelivers, Completion::kAwaits, Completion::kShuffles})
      if (reader.accept(word_of(one))) node.completion = one;
    if (reader.accept("in")) {
      TRY_ASSIGN(node.queue, reader.name("a queue's name"));
    }
    if (reader.accept("launches")) {
      TRY_ASSIGN(node.function, reader.name("a device function's name"));
    }
    if (reader.accept("needs")) {
      TRY_ASSIGN(node.needs, registers(reader));
    }
    if (reader.accept("sets")) {
      TRY_ASSIGN(node.sets, registers(reader));
    }
    TRY(reader.end());
    if (at_ < lines_.size() && lines_[at_].indent > 0) {
      TRY_ASSIGN(node.behaviour, statements(1));
    }
    scope_ = std::move(outer);
    auto declared = declare(std::move(node));
    if (!declared) return reader.error(declared.error().code, declared.error().message);
    if (!intrinsics_.emplace((*declared)->name, *declared).second)
      return reader.error("name_taken",
                          fmt::format("there are two intrinsics named '{}'", (*declared)->name));
    return {};
  }

  using ReadBuffer = Result<Buffer> (ProgramParser::*)(LineReader&);
  Status buffers(LineReader& reader, std::vector<Buffer>& list, ReadBuffer read) {
    TRY(reader.expect("("));
    if (reader.accept(")")) return {};
    do {
      TRY_ASSIGN(Buffer buffer, (this->*read)(reader));
      if (!scope_.buffers.emplace(buffer->name, buffer).second)
        return reader.error("name_taken",
                            fmt::format("there are two tensors named '{}'", buffer->name));
      list.push_back(std::move(buffer));
    } while (reader.accept(","));
    return reader.expect(")");
  }

  Result<SizeParam> size() {
    LineReader& reader = lines_[at_++].reader;
    reader.next();
    SizeParam param;
    TRY_ASSIGN(std::string name, reader.name("a size's name"));
    if (!scope_.variables.emplace(name, DType::kI64).second)
      return reader.error("name_taken", fmt::format("there are two sizes named '{}'", name));
    TRY(reader.expect("in"));
    TRY_ASSIGN(param.low, reader.integer("the smallest value"));
    TRY(reader.expect(".."));
    TRY_ASSIGN(param.high, reader.integer("the largest value"));
    param.var = var(name);
    TRY(reader.end());
    return param;
  }

  /// All statements at exactly `indent`.
  Result<Stmt> statements(int indent) {
    if (++depth_ > kMaxDepth)
      return lines_[std::min(at_, lines_.size() - 1)].reader.error("too_deep",
                                                                   "loops are nested too deeply");
    std::vector<Stmt> list;
    while (at_ < lines_.size() && lines_[at_].indent >= indent) {
      if (lines_[at_].indent > indent)
        return lines_[at_].reader.error("bad_indent", "this line is indented too far");
      TRY_ASSIGN(Stmt s, statement(indent));
      list.push_back(std::move(s));
    }
    --depth_;
    if (list.empty()) {
      LineReader const& reader = lines_[std::min(at_, lines_.size()) - 1].reader;
      return reader.error("empty_body", "this line needs an indented body below it");
    }
    return seq(std::move(list));
  }

  Result<Stmt> statement(int indent) {
    LineReader& reader = lines_[at_].reader;
    std::string word(reader.peek().text);
    if (auto kind = loop_kind(word)) return loop(indent, *kind);
    if (word == "block") return block(indent);
    if (word == "if") return condition(indent);
    if (word == "let") return let(indent);
    if (word == "alloc") return alloc(indent);
    if (word == "nothing") return nothing();
    if (word == "call") return parse_call(lines_[at_++].reader, scope_, intrinsics_);
    if (HintReader kind = hint_named(word)) return hint(kind);
    return store();
  }

  /// "with keep_rolled=1, ..." up to the end of the line, or nothing.
  static Result<Origin> words(LineReader& reader) {
    Origin origin;
    if (reader.accept("with")) do {
        TRY_ASSIGN(std::string word, reader.name("a word"));
        TRY(reader.expect("="));
        TRY_ASSIGN(int64_t value, reader.integer("the annotation's value"));
        if (value < 1) return reader.error("bad_word_value", "an annotation's value is at least 1");
        if (std::ranges::find(origin.annotations, word, &Annotation::word) !=
            origin.annotations.end())
          return reader.error("word_twice", fmt::format("the annotation {} is set twice", word));
        origin = with_word(std::move(origin), word, value);
      } while (reader.accept(","));
    TRY(reader.end());
    return origin;
  }

  Result<Stmt> nothing() {
    LineReader& reader = lines_[at_++].reader;
    reader.next();
    TRY(reader.end());
    return seq({});
  }

  /// What a let or an allocation holds for: a group of its own, or the rest of the group it is in.
  Result<Stmt> held(int indent) {
    bool own = at_ < lines_.size() && lines_[at_].indent == indent + 1;
    return statements(own ? indent + 1 : indent);
  }

  Result<Stmt> loop(int indent, LoopKind kind) {
    LineReader& reader = lines_[at_++].reader;
    reader.next();
    std::string bind;
    if (kind == LoopKind::kBind) {
      TRY(reader.expect("("));
      TRY_ASSIGN(bind, reader.name("what the loop binds to"));
      TRY(reader.expect(")"));
    }
    TRY_ASSIGN(std::string name, reader.name("a loop's name"));
    if (scope_.variables.count(name))
      return reader.error("name_taken",
                          fmt::format("'{}' is already bound by a loop around this one", name));
    TRY(reader.expect("in"));
    TRY_ASSIGN(Expr extent, parse_expr(reader, scope_));
    TRY_ASSIGN(Origin origin, words(reader));
    LoopId id = program_.fresh_loop();
    scope_.variables[name] = DType::kI64;
    TRY_ASSIGN(Stmt body, statements(indent + 1));
    scope_.variables.erase(name);
    return make_from<For>(std::move(origin), id, var(name), extent, kind, body, bind);
  }

  Result<IterVar> iterator(LineReader& reader, ExprScope const& outer) {
    IterVar iter;
    if (reader.accept("reduce"))
      iter.kind = IterKind::kReduce;
    else if (reader.accept("ordered"))
      iter.kind = IterKind::kOrdered;
    else if (reader.accept("opaque"))
      iter.kind = IterKind::kOpaque;
    TRY_ASSIGN(std::string name, reader.name("an iterator's name"));
    if (scope_.variables.count(name))
      return reader.error("name_taken", fmt::format("'{}' is already bound", name));
    iter.var = var(name);
    TRY(reader.expect(":"));
    TRY_ASSIGN(iter.extent, parse_expr(reader, outer));
    TRY(reader.expect("="));
    TRY_ASSIGN(iter.binding, parse_expr(reader, outer));
    if (reader.accept("as")) {
      TRY_ASSIGN(iter.role, reader.name("a role"));
    }
    return iter;
  }

  Result<Stmt> block(int indent) {
    LineReader& reader = lines_[at_++].reader;
    reader.next();
    TRY_ASSIGN(std::string name, reader.name("a block's name"));
    TRY(reader.expect("("));
    std::vector<IterVar> iters;
    ExprScope outer = scope_;
    if (!reader.accept(")")) {
      do {
        TRY_ASSIGN(IterVar iter, iterator(reader, outer));
        iters.push_back(std::move(iter));
      } while (reader.accept(","));
      TRY(reader.expect(")"));
    }
    std::string op;
    if (reader.accept("op")) {
      TRY_ASSIGN(op, reader.name("an operator's name"));
    }
    Expr predicate;
    if (reader.accept("if")) {
      TRY_ASSIGN(predicate, parse_expr(reader, outer));
    }
    TRY_ASSIGN(Origin origin, words(reader));
    BlockId id = program_.fresh_block();
    for (IterVar const& iter : iters) scope_.variables[iter.name()] = DType::kI64;
    Stmt init;
    if (at_ < lines_.size() && lines_[at_].indent == indent + 1 &&
        lines_[at_].reader.accept("init")) {
      TRY_ASSIGN(init, initial(indent + 1));
    }
    TRY_ASSIGN(Stmt body, statements(indent + 1));
    scope_ = std::move(outer);
    return make_from<Block>(std::move(origin), id, name, op, std::move(iters), predicate, init,
                            body);
  }

  Result<Stmt> initial(int indent) {
    if (!lines_[at_].reader.at_end()) return store();
    ++at_;
    return statements(indent + 1);
  }

  Result<Stmt> condition(int indent) {
    LineReader& reader = lines_[at_++].reader;
    reader.next();
    TRY_ASSIGN(Expr test, parse_expr(reader, scope_));
    if (test.type() != DType::kBool)
      return reader.error("type_mismatch", "an 'if' needs a condition");
    TRY(reader.end());
    TRY_ASSIGN(Stmt then_body, statements(indent + 1));
    Stmt else_body;
    if (at_ < lines_.size() && lines_[at_].indent == indent && lines_[at_].reader.accept("else")) {
      TRY(lines_[at_++].reader.end());
      TRY_ASSIGN(else_body, statements(indent + 1));
    }
    return make<If>(test, then_body, else_body);
  }

  Result<Stmt> let(int indent) {
    LineReader& reader = lines_[at_++].reader;
    reader.next();
    TRY_ASSIGN(std::string name, reader.name("a name"));
    if (scope_.variables.count(name))
      return reader.error("name_taken", fmt::format("'{}' is already bound", name));
    TRY(reader.expect("="));
    TRY_ASSIGN(Expr value, parse_expr(reader, scope_));
    TRY(reader.end());
    scope_.variables[name] = value.type();
    TRY_ASSIGN(Stmt body, held(indent));
    scope_.variables.erase(name);
    return make<Let>(var(name, value.type()), value, body);
  }

  Result<Stmt> alloc(int indent) {
    LineReader& reader = lines_[at_++].reader;
    reader.next();
    TRY_ASSIGN(Buffer parsed, parse_buffer(reader, scope_));
    BufferNode node = *parsed;
    TRY_ASSIGN(node.alignments, alignments(reader));
    TRY_ASSIGN(node.map, map(reader));
    TRY_ASSIGN(Buffer buffer, scoped(reader, std::move(node)));
    TRY(reader.end());
    if (!scope_.buffers.emplace(buffer->name, buffer).second)
      return reader.error("name_taken",
                          fmt::format("there is already a tensor '{}'", buffer->name));
    TRY_ASSIGN(Stmt body, held(indent));
    scope_.buffers.erase(buffer->name);
    return make<Alloc>(buffer, body);
  }

  Result<Stmt> hint(HintReader read) {
    LineReader& reader = lines_[at_++].reader;
    reader.next();
    std::vector<Expr> fields;
    do {
      TRY_ASSIGN(Expr e, parse_expr(reader, scope_));
      fields.push_back(std::move(e));
    } while (reader.accept(","));
    TRY(reader.end());
    return read(fields, reader);
  }

  Result<Stmt> store() {
    LineReader& reader = lines_[at_++].reader;
    TRY_ASSIGN(Expr target, parse_expr(reader, scope_));
    auto const* element = target.as<Load>();
    if (!element)
      return reader.error("expected_statement",
                          "expected a loop, a block or an assignment to a tensor's element");
    TRY(reader.expect("="));
    TRY_ASSIGN(Expr value, parse_expr(reader, scope_));
    TRY_ASSIGN(Origin origin, words(reader));
    if (is_float(element->type) && value.as<IntImm>() && value.type() == DType::kI64)
      value = float_imm(double(*as_int(value)), element->type);
    if (value.type() != element->type)
      return reader.error(
          "type_mismatch",
          fmt::format("'{}' has type {}, but the value has type {}", element->buffer->name,
                      tw::to_text(element->type), tw::to_text(value.type())));
    return make_from<Store>(std::move(origin), element->buffer, element->indices, value);
  }

  std::vector<Line> lines_;
  std::string file_;
  size_t at_ = 0;
  int depth_ = 0;
  ExprScope scope_;
  Intrinsics intrinsics_;
  Program program_;
};

}  // namespace

Result<Program> parse_program(std::string_view text, std::string_view file) {
  TRY_ASSIGN(std::vector<Line> lines, read_lines(text, file));
  return ProgramParser(std::move(lines), std::string(file)).parse();
}

Result<Intrinsic> parse_intrinsic(std::string_view text) {
  TRY_ASSIGN(std::vector<Line> lines, read_lines(text, ""));
  return ProgramParser(std::move(lines), "").parse_intrinsic();
}

Result<KernelIr> parse_kernel(std::string_view text, std::string_view file) {
  TRY_ASSIGN(std::vector<Line> lines, read_lines(text, file));
  return ProgramParser(std::move(lines), std::string(file)).parse_kernel();
}

}  // namespace tw::ir
