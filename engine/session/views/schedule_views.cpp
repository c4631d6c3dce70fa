#include "engine/session/views/schedule_views.h"
#include "engine/session/stage_names.h"
#include "engine/session/views/machine_views.h"
#include "engine/session/views/tensor_cards.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/analysis/locality.h"
#include "engine/backend/code_reporter.h"
#include "engine/compile/load_time.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/text.h"
#include "engine/schedule/names.h"
#include "engine/schedule/rewriting/expand_calls.h"
#include "engine/support/base/quantities.h"
#include "engine/tensor/ndarray.h"

namespace tw::session {
namespace {

int index_of(std::vector<int64_t> const& list, int64_t value) {
  return int(std::find(list.begin(), list.end(), value) - list.begin());
}

/// Which original axis a loop belongs to, and what kind of iterators it feeds.
void describe_axis(ir::BlockSite const& site, ir::For const& loop, LoopBar& bar) {
  bool reduce = false, spatial = false;
  bar.hue = -1;
  for (size_t i = 0; i < site.block->iters.size(); ++i) {
    ir::IterVar const& iter = site.block->iters[i];
    if (!ir::uses_variable(iter.binding, loop.name())) continue;
    if (bar.hue < 0) {
      bar.hue = int(i);
      bar.role = iter.role;
      // Level: how many loops around this one feed the same iterator.
      for (ir::For const* around : site.loops) {
        if (around->id == loop.id) break;
        bar.level += ir::uses_variable(iter.binding, around->name());
      }
    }
    (iter.kind == ir::IterKind::kReduce ? reduce : spatial) = true;
    if (iter.kind == ir::IterKind::kOrdered) bar.kind = AxisKind::kOrdered;
    if (iter.kind == ir::IterKind::kOpaque) bar.kind = AxisKind::kOpaque;
  }
  bar.hue = std::max(bar.hue, 0);
  if (bar.kind == AxisKind::kSpatial && reduce)
    bar.kind = spatial ? AxisKind::kMixed : AxisKind::kReduce;
  bar.guarded = site.block->predicate && ir::uses_variable(site.block->predicate, loop.name());
}

void describe_memory(analysis::Locality const& locality, ir::LoopId loop,
                     std::vector<int64_t> const& cache_bytes, LoopBar& bar) {
  analysis::LoopLocality data = locality.loop(loop);
  bar.footprint = data.body.bytes;
  bar.footprint_exact = data.body.exact;
  bar.reuse = data.reuse;
  for (int64_t capacity : cache_bytes) bar.fits.push_back(locality.largest_fit(loop, capacity));
}

/// "unroll_by=4"; several with commas.
std::string words_of(ir::StmtNode const& s) {
  std::string words;
  for (ir::Annotation const& one : s.origin.annotations)
    words += fmt::format("{}{}={}", words.empty() ? "" : ", ", one.word, one.value);
  return words;
}

std::string consequence_of(LoopBar const& bar, ir::For const& loop) {
  switch (bar.mark) {
    case LoopMark::kParallel:
      return count_text(bar.extent, "task");
    case LoopMark::kVector:
      return count_text(bar.extent, "lane");
    case LoopMark::kUnroll:
      return bar.extent == 1 ? "1 copy" : fmt::format("{} copies", bar.extent);
    case LoopMark::kBind:
      return bar.axis;
    default:
      if (std::string words = words_of(loop); !words.empty()) return words;
      return bar.guarded ? "guarded" : "";
  }
}

StageCard card_of(ir::BlockSite const& site) {
  StageCard card;
  card.name = site.block->name;
  card.op = site.block->op;
  card.summary = count_text(int64_t(site.loops.size()), "loop");
  if (std::string words = words_of(*site.block); !words.empty()) card.summary += " · " + words;
  if (auto const* call = site.block->body.as<ir::IntrinsicCall>())
    card.call = call->intrinsic->name;
  ir::walk(site.block->body, [&](ir::Stmt const& s) {
    ir::walk_writes(s, [&](ir::Touched const& at) {
      card.output = fmt::format("{} {}", to_text(at.buffer->type),
                                tw::to_text(ir::constant_shape(*at.buffer).value_or(Shape{})));
      if (at.buffer->scope != kGlobalScope) card.memory = at.buffer->scope;
    });
    return true;
  });
  return card;
}

/// Stages that no bar is of, and calls all of whose loops are those of others, too.
class BetweenBars {
public:
  BetweenBars(ir::Program const& program, NestView const& view) : view_(view) {
    visit(program.body);
  }
  std::vector<BarrierLine> const& lines() const { return lines_; }

private:
  bool is_bar(ir::For const& loop) const {
    return std::ranges::count(view_.bars, loop.id.value, &LoopBar::id) > 0;
  }

  void visit(ir::Stmt const& root) {
    ir::walk(root, [&](ir::Stmt const& s) {
      if (auto const* block = s.as<ir::Block>()) return place(*block), false;
      auto const* loop = s.as<ir::For>();
      if (!loop || !is_bar(*loop)) return true;
      ++opened_;
      around_.push_back(loop);
      visit(loop->body);
      around_.pop_back();
      return false;
    });
  }

  void place(ir::Block const& block) {
    auto stage = std::ranges::find(view_.stages, block.name, &StageCard::name);
    int number = int(stage - view_.stages.begin());
    bool has_bar = std::ranges::count(view_.bars, number, &LoopBar::stage) > 0;
    bool alone = !around_.empty() && ir::blocks_of(around_.back()->body).size() == 1;
    if (alone || (has_bar && stage->call.empty())) return;
    lines_.push_back({block.name, "", around_.empty() ? -1 : around_.back()->id.value, opened_});
  }

  NestView const& view_;
  std::vector<ir::For const*> around_;
  int opened_ = 0;
  std::vector<BarrierLine> lines_;
};

LoopMark mark_of(ir::LoopKind kind) { return LoopMark(int(kind)); }

CodeLine line_of(std::string text, ir::LineInfo const& info, std::vector<int64_t> const& blocks) {
  CodeLine line;
  line.text = std::move(text);
  line.loop = info.loop.value;
  for (ir::LoopId id : info.around) line.loops.push_back(id.value);
  if (info.loop.valid() && (line.loops.empty() || line.loops.back() != info.loop.value))
    line.loops.push_back(info.loop.value);
  if (info.block.valid()) line.stage = index_of(blocks, info.block.value);
  return line;
}

CodeText text_of(ir::PrintedProgram const& printed, std::vector<int64_t> const& blocks) {
  CodeText text;
  size_t at = 0;
  for (ir::LineInfo const& info : printed.lines) {
    size_t end = printed.text.find('\n', at);
    text.lines.push_back(line_of(printed.text.substr(at, end - at), info, blocks));
    at = end + 1;
  }
  return text;
}

CodeText lines_of(std::string const& all) {
  CodeText text;
  for (size_t at = 0; at < all.size();) {
    size_t end = std::min(all.find('\n', at), all.size());
    CodeLine line;
    line.text = all.substr(at, end - at);
    std::replace(line.text.begin(), line.text.end(), '\t', ' ');
    text.lines.push_back(std::move(line));
    at = end + 1;
  }
  return text;
}

}  // namespace

CodeText text_of_kernel(ir::KernelIr const& kernel) {
  CodeText text = text_of(ir::print(kernel), {});
  for (CodeLine& line : text.lines) line.stage = -1;
  std::map<std::string, ir::Intrinsic> called = called_instructions(kernel);
  for (CodeLine& line : text.lines) mark_call(line, called);
  return text;
}

RefusalView unreadable_line(std::string const& line, Error const& error) {
  RefusalView view;
  view.step = line;
  view.code = error.code;
  view.title = "This line cannot be read";
  view.message = error.message;
  return view;
}

RefusalView refusal_view(ir::Program const& program, Refusal const& refusal,
                         std::string const& step) {
  RefusalView view;
  view.step = step;
  view.code = refusal.code;
  view.message = refusal.message;
  view.condition = refusal.condition;
  view.undecided = refusal.undecided;
  for (ir::LoopId id : refusal.culprits) view.culprits.push_back(id.value);
  view.title = fmt::format("{} is refused", step);
  auto parsed = parse_step(step);
  if (parsed && !parsed->targets.empty()) {
    Primitive const* primitive = find_primitive(parsed->primitive);
    view.title = fmt::format("{} {}", parsed->targets.front(),
                             primitive ? primitive->refused : Primitive().refused);
  }
  if (refusal.conflict) {
    ConflictView conflict;
    conflict.first.loops = refusal.conflict->first.loops;
    conflict.second.loops = refusal.conflict->second.loops;
    conflict.buffer = refusal.conflict->buffer;
    conflict.index = refusal.conflict->index;
    conflict.element = fmt::format("{}[{}]", conflict.buffer, fmt::join(conflict.index, ","));
    conflict.differs = refusal.conflict->differs;
    conflict.second_writes = refusal.conflict->second_writes;
    ir::walk(program.body, [&](ir::Stmt const& s) {
      auto const* store = s.as<ir::Store>();
      if (store && store->buffer->name == conflict.buffer)
        conflict.shape = ir::constant_shape(*store->buffer).value_or(std::vector<int64_t>());
      return true;
    });
    view.conflict = std::move(conflict);
  }
  for (Repair const& repair : refusal.repairs) view.repairs.push_back({repair.step, repair.effect});
  return view;
}

NestView nest_view(ir::Program const& program, std::vector<int64_t> const& cache_bytes,
                   Backend const& backend) {
  NestView view;
  view.program_hash = ir::hash(program);
  std::vector<int64_t> blocks;
  for (ir::BlockSite const& site : ir::blocks_of(program.body)) {
    view.stages.push_back(card_of(site));
    blocks.push_back(site.block->id.value);
  }
  analysis::Locality locality(with_calls_expanded(program));
  for (ir::LoopSite const& loop : ir::loops_of(program.body)) {
    auto owner = owner_of(program, loop.loop->id);
    if (!owner) continue;
    LoopBar bar;
    bar.id = loop.loop->id.value;
    bar.name = loop.loop->name();
    bar.reference = owner->block->name + "." + bar.name;
    bar.stage = index_of(blocks, owner->block->id.value);
    bar.depth = int(loop.around.size());
    bar.extent = ir::as_int(loop.loop->extent).value_or(0);
    bar.mark = mark_of(loop.loop->loop_kind);
    bar.axis = loop.loop->bind;
    bar.bound = bound_to(bar.axis, backend.target());
    describe_axis(*owner, *loop.loop, bar);
    describe_memory(locality, loop.loop->id, cache_bytes, bar);
    bar.consequence = consequence_of(bar, *loop.loop);
    view.bars.push_back(std::move(bar));
  }
  view.tensors = tensor_cards(program);
  describe_machine(program, backend, view);
  BetweenBars between(program, view);
  view.barriers.insert(view.barriers.begin(), between.lines().begin(), between.lines().end());
  return view;
}

std::vector<CodeStage> code_stages(Backend const& backend) {
  std::vector<CodeStage> stages{
      {kExpressionStage, "Expression", "what is computed, without an order", CodeKind::kExpression},
      {kProgramStage, "Program", "the loops after the schedule", CodeKind::kProgram}};
  std::vector<std::string> keys = pass_keys(backend.passes());
  for (size_t i = 0; i < keys.size(); ++i) {
    Pass const& pass = backend.passes()[i];
    stages.push_back({keys[i],
                      fmt::format("after pass {} of {}, {}", i + 1, keys.size(), pass.name),
                      fmt::format("{}; {}", pass.title, pass.why), CodeKind::kPass});
  }
  for (CodeTextKind const& kind : backend.texts())
    stages.push_back({kind.key, kind.title, kind.why, CodeKind::kListing});
  if (dynamic_cast<CodeReporter const*>(&backend))
    stages.push_back({kRemarksStage, "Remarks",
                      "what the code generator's passes did, did not do, and why not",
                      CodeKind::kRemarks});
  return stages;
}

std::string stage_called(std::string const& key) { return pass_called(key); }

CodeText text_of_expression(te::Kernel const& kernel) {
  CodeText text = lines_of(te::to_text(kernel));
  text.stage = kExpressionStage;
  text.kind = CodeKind::kExpression;
  text.title = "tensor expression";
  for (size_t i = 0; i < kernel.stages.size(); ++i)
    for (CodeLine& line : text.lines)
      if (line.text.starts_with("  " + kernel.stages[i].output->name + "[")) line.stage = int(i);
  return text;
}

CodeText text_of_program(ir::Program const& program) {
  std::vector<int64_t> blocks;
  for (ir::BlockSite const& site : ir::blocks_of(program.body))
    blocks.push_back(site.block->id.value);
  CodeText text = text_of(ir::print(program), blocks);
  std::map<std::string, ir::Intrinsic> called = called_instructions(program.body);
  for (CodeLine& line : text.lines) mark_call(line, called);
  text.stage = kProgramStage;
  text.title = "program";
  text.program_hash = ir::hash(program);
  return text;
}

CodeText text_of_stage(ir::KernelIr const& kernel, CodeStage const& stage) {
  CodeText text = text_of_kernel(kernel);
  text.stage = stage.key;
  text.kind = stage.kind;
  text.title = stage.title;
  return text;
}

/// Lines that come from a line of the lowered program belong to its loops.
CodeText text_of_listing(Artifact const& artifact, CodeListing const& listing,
                         CodeStage const& stage) {
  CodeText text = lines_of(listing.text);
  text.stage = stage.key;
  text.kind = stage.kind;
  text.title = stage.title;
  std::vector<int64_t> blocks;
  for (size_t i = 0; i < text.lines.size() && i < listing.source_line.size(); ++i) {
    int source = listing.source_line[i];
    text.lines[i].source_line = source;
    if (source < 1 || size_t(source) > artifact.lowered.lines.size()) continue;
    CodeLine linked = line_of("", artifact.lowered.lines[size_t(source) - 1], blocks);
    text.lines[i].loops = std::move(linked.loops);
  }
  return text;
}

namespace {

/// Says what is not in the text because it ran before.
CodeText with_note(CodeText text, LoadTimeSplit const& split) {
  for (ir::Buffer const& buffer : split.made)
    text.title += fmt::format(" · {} is computed when the model is loaded", buffer->name);
  return text;
}

}  // namespace

Result<CodeText> text_at(ir::Program const& program, te::Kernel const& kernel,
                         std::string const& stage, Backend const& backend,
                         LowerOptions const& options) {
  if (stage == kExpressionStage) return text_of_expression(kernel);
  if (stage == kProgramStage) return text_of_program(program);
  LoadTimeSplit split = split_load_time(program);
  TRY_ASSIGN(std::vector<LoweredStage> lowered,
             lower(split.at_run, backend.target(), backend.passes(), options));
  std::vector<CodeStage> stages = code_stages(backend);
  for (size_t i = 1; i < lowered.size(); ++i)
    if (stages[i + 1].key == stage)
      return with_note(text_of_stage(lowered[i].kernel, stages[i + 1]), split);
  auto const* reporter = dynamic_cast<CodeReporter const*>(&backend);
  if (stage == kRemarksStage && reporter) {
    TRY_ASSIGN(std::vector<CodeRemark> remarks, reporter->remarks(lowered.back().kernel, {}));
    return text_of_remarks(lowered.back().kernel, remarks);
  }
  TRY_ASSIGN(Artifact artifact,
             backend.compile(lowered.back().kernel, CodeTier::kFast, CodeTexts::kAll));
  auto listing = std::ranges::find(artifact.listings, stage, &CodeListing::key);
  auto described = std::ranges::find(stages, stage, &CodeStage::key);
  if (listing == artifact.listings.end() || described == stages.end())
    return bad_input("unknown_stage", fmt::format("the code has no stage '{}'", stage));
  return text_of_listing(artifact, *listing, *described);
}

CodeText code_text(ir::Program const& program, te::Kernel const& kernel, std::string const& stage,
                   Backend const& backend) {
  auto text = text_at(program, kernel, stage, backend, environment_lower_options());
  if (text) return *std::move(text);
  CodeText failed;
  failed.stage = stage;
  failed.failure = to_sentence(text.error());
  return failed;
}

}  // namespace tw::session
