#include "engine/compile/load_time.h"

#include <algorithm>
#include <set>

#include "engine/ir/rewrite.h"
#include "engine/ir/strides.h"
#include "engine/target/target.h"

namespace tw {
namespace {

using namespace ir;
using Names = std::set<std::string>;

/// The statements at the top of a program, and the tensors allocated around them.
struct Top {
  std::vector<Buffer> allocated;
  std::vector<Stmt> nests;
};

void collect(Stmt const& s, Top& top) {
  if (auto const* alloc = s.as<Alloc>()) {
    top.allocated.push_back(alloc->buffer);
    return collect(alloc->body, top);
  }
  auto const* list = s.as<Seq>();
  if (!list) return top.nests.push_back(s);
  for (Stmt const& one : list->stmts) collect(one, top);
}

Names read_in(Stmt const& s) {
  Names names;
  walk_reads(s, [&](Touched const& at) { names.insert(at.buffer->name); });
  return names;
}

Names written_in(Stmt const& s) {
  Names names;
  walk_writes(s, [&](Touched const& at) { names.insert(at.buffer->name); });
  return names;
}

bool holds_all(Names const& all, Names const& some) {
  return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

/// Of each nest: it belongs to loading. A tensor that any other nest writes, too, is none that is
/// known then.
std::vector<bool> nests_of_loading(Top const& top, Names known) {
  std::vector<bool> at_load(top.nests.size(), true);
  Names allocated, kept;  // `kept`: what still lies there when the kernel is called
  for (Buffer const& buffer : top.allocated) {
    allocated.insert(buffer->name);
    bool lies_plainly = with_padded_shape(buffer) != nullptr;
    if (buffer->scope == kGlobalScope && lies_plainly) kept.insert(buffer->name);
  }
  for (bool changed = true; changed;) {
    changed = false;
    Names written_at_run, read_at_run;
    for (size_t i = 0; i < top.nests.size(); ++i) {
      if (at_load[i]) continue;
      written_at_run.merge(written_in(top.nests[i]));
      read_at_run.merge(read_in(top.nests[i]));
    }
    Names available = known;
    for (size_t i = 0; i < top.nests.size(); ++i) {
      if (!at_load[i]) continue;
      Names writes = written_in(top.nests[i]), own = available;
      own.insert(writes.begin(), writes.end());
      Names clash;
      std::ranges::set_intersection(writes, written_at_run, std::inserter(clash, clash.begin()));
      bool lost = std::ranges::any_of(writes, [&](std::string const& name) {
        return read_at_run.contains(name) && !kept.contains(name);
      });
      at_load[i] = clash.empty() && !lost && holds_all(allocated, writes) &&
                   holds_all(own, read_in(top.nests[i]));
      changed = changed || !at_load[i];
      if (at_load[i]) available.merge(writes);
    }
  }
  return at_load;
}

/// A program of some of the nests, with the allocations that they use and `outside` does not hold.
Program program_of(Program const& whole, Top const& top, std::vector<Stmt> const& nests,
                   Names const& outside) {
  Program part = whole;
  part.body = seq(nests);
  Names used = read_in(part.body);
  used.merge(written_in(part.body));
  for (size_t i = top.allocated.size(); i-- > 0;) {
    Buffer const& buffer = top.allocated[i];
    if (used.contains(buffer->name) && !outside.contains(buffer->name))
      part.body = make<Alloc>(buffer, part.body);
  }
  return part;
}

Buffer in_scope(Buffer const& buffer, char const* scope) {
  BufferNode node = *with_padded_shape(buffer);
  node.scope = scope;
  return std::make_shared<BufferNode const>(std::move(node));
}

}  // namespace

LoadTimeSplit split_load_time(Program const& program) {
  Names parameters;
  for (Buffer const& input : program.inputs)
    if (input->scope == kParameterScope) parameters.insert(input->name);
  Top top;
  collect(program.body, top);
  std::vector<bool> at_load = nests_of_loading(top, parameters);
  std::vector<Stmt> load_nests, run_nests;
  for (size_t i = 0; i < top.nests.size(); ++i)
    (at_load[i] ? load_nests : run_nests).push_back(top.nests[i]);
  if (load_nests.empty() || run_nests.empty()) return {std::nullopt, program, {}};
  Names made = written_in(seq(load_nests)), read = read_in(seq(run_nests)), passed;
  std::ranges::set_intersection(made, read, std::inserter(passed, passed.begin()));
  LoadTimeSplit split{program_of(program, top, load_nests, passed),
                      program_of(program, top, run_nests, passed),
                      {}};
  split.at_load->name = program.name + "_load";
  split.at_load->outputs.clear();
  for (Buffer const& buffer : top.allocated) {
    if (!passed.contains(buffer->name)) continue;
    Buffer output = in_scope(buffer, kGlobalScope), input = in_scope(buffer, kParameterScope);
    split.at_load->body = replace_buffer(split.at_load->body, buffer->name, output);
    split.at_run.body = replace_buffer(split.at_run.body, buffer->name, input);
    split.at_load->outputs.push_back(output);
    split.at_run.inputs.push_back(input);
    split.made.push_back(output);
  }
  return split;
}

}  // namespace tw
