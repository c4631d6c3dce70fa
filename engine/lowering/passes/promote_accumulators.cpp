// for k: T[e] = T[e] + x(k)   -->   acc = T[e]; for k: acc = acc + x(k); T[e] = acc
// and the same for a row of statements that add to one element again and again.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "engine/arith/linear.h"
#include "engine/arith/simplify.h"
#include "engine/ir/annotations.h"
#include "engine/ir/fields.h"
#include "engine/ir/rewrite.h"
#include "engine/lowering/pipeline.h"

namespace tw {
namespace {

using namespace ir;

constexpr size_t kMostAccumulators = 64;

/// A place that a loop reads and writes again and again.
struct Place {
  Buffer buffer;
  Expr index;
  bool conditional = true;  // no store to it stands under no condition
  int stores = 0;
  std::vector<Annotation> words = {};  // of its last store
  Buffer accumulator = nullptr;
};

/// Everything a loop body does to the buffers that it writes.
struct Accesses {
  std::map<std::string, std::vector<Place>> places;  // of written buffers, distinct by index
};

Expr base_of(Expr const& index) {
  auto const* ramp = index.as<Ramp>();
  return ramp ? ramp->base : index;
}

/// One element has the stride that the other index has.
std::optional<int64_t> common_stride(Ramp const* a, Ramp const* b) {
  auto stride_of = [](Ramp const* ramp) { return ramp ? as_int(ramp->stride) : std::nullopt; };
  if (!a || !b) return a || b ? stride_of(a ? a : b) : 1;
  auto stride = stride_of(a);
  return stride == stride_of(b) ? stride : std::nullopt;
}

/// The places of two indices cannot overlap: same linear terms, constants far enough apart or, of
/// the same stride, between one another's elements.
bool disjoint(Expr const& a, Expr const& b) {
  std::optional<int64_t> stride = common_stride(a.as<Ramp>(), b.as<Ramp>());
  arith::Linear difference =
      arith::add(arith::to_linear(base_of(a)), arith::to_linear(base_of(b)), -1);
  if (!stride || *stride < 1 || !difference.is_constant()) return false;
  int64_t apart = difference.constant;
  return apart % *stride != 0 || apart / *stride >= b.lanes() || -apart / *stride >= a.lanes();
}

/// What the store writes is made of what was there.
bool updates(Store const& store) {
  bool reads = false;
  walk(store.value, [&](Expr const& e) {
    auto const* read = e.as<Load>();
    reads = reads || (read && read->buffer->name == store.buffer->name &&
                      equal(read->indices[0], store.indices[0]));
    return !reads;
  });
  return reads;
}

class AccessCollector {
public:
  explicit AccessCollector(Stmt const& body) { statement(body, false); }
  Accesses result;
  bool usable = true;

private:
  void statement(Stmt const& s, bool conditional) {
    dispatch(*s, [&](auto const& node) { collect(node, conditional); });
  }
  void collect(Store const& node, bool conditional) {
    if (conditional && !updates(node)) usable = false;
    add(node, conditional);
  }
  void collect(For const& node, bool conditional) {
    if (node.loop_kind == LoopKind::kParallel) usable = false;
    bound_.insert(node.name());
    statement(node.body, conditional);
  }
  void collect(Seq const& node, bool conditional) {
    for (Stmt const& child : node.stmts) statement(child, conditional);
  }
  void collect(If const& node, bool) {
    statement(node.then_body, true);
    if (node.else_body) statement(node.else_body, true);
  }
  void collect(HintNode auto const&, bool) {}
  /// What may do anything else keeps its elements in memory.
  template <typename N>
  void collect(N const&, bool) {
    usable = false;
  }
  void add(Store const& node, bool conditional) {
    auto& list = result.places[node.buffer->name];
    auto known = std::ranges::find_if(
        list, [&](Place const& place) { return equal(place.index, node.indices[0]); });
    if (known == list.end()) known = list.insert(list.end(), {node.buffer, node.indices[0]});
    known->conditional = known->conditional && conditional;
    known->words = node.origin.annotations;
    ++known->stores;
  }

public:
  std::set<std::string> bound_;  // variables of loops inside
};

/// All loads of the written buffers are at the collected places.
bool loads_agree(Stmt const& body, Accesses const& accesses) {
  bool agree = true;
  walk_exprs(body, [&](Expr const& e) {
    auto const* read = e.as<Load>();
    auto found = read ? accesses.places.find(read->buffer->name) : accesses.places.end();
    if (found != accesses.places.end())
      agree = agree && std::any_of(found->second.begin(), found->second.end(), [&](Place const& p) {
                return equal(p.index, read->indices[0]);
              });
    return agree;
  });
  return agree;
}

using Stores = std::vector<Store const*>;

bool holds(Stores const& stores, Place const& place) {
  return std::ranges::any_of(stores, [&](Store const* store) {
    return store->buffer->name == place.buffer->name && equal(store->indices[0], place.index);
  });
}

/// Whether the places of one buffer may be kept elsewhere while a body runs that binds `bound`.
/// `before`: what was surely stored before it, by the same thread. An element that the body may not
/// write is there then, and nobody else writes it.
bool promotable(std::vector<Place> const& places, std::set<std::string> const& bound,
                Stores const& before) {
  if (places.front().buffer->scope == "register") return false;
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i].index.as<Ramp>() == nullptr && places[i].index.lanes() > 1) return false;
    if (places[i].conditional && !holds(before, places[i])) return false;
    for (std::string const& variable : bound)
      if (uses_variable(places[i].index, variable)) return false;
    for (size_t j = 0; j < i; ++j)
      if (!disjoint(places[i].index, places[j].index)) return false;
  }
  return true;
}

bool promotable(Stmt const& body, AccessCollector const& collected, Stores const& before) {
  if (!collected.usable || collected.result.places.empty()) return false;
  size_t count = 0;
  for (auto const& [name, places] : collected.result.places) {
    count += places.size();
    if (!promotable(places, collected.bound_, before)) return false;
  }
  return count <= kMostAccumulators && loads_agree(body, collected.result);
}

/// A buffer whose elements are written once each has nothing to keep.
void drop_written_once(Accesses& accesses) {
  std::erase_if(accesses.places, [](auto const& entry) {
    return std::ranges::all_of(entry.second, [](Place const& place) { return place.stores < 2; });
  });
}

bool has_loop(Stmt const& s) {
  bool found = false;
  walk(s, [&](Stmt const& x) { return found = found || x.as<For>(), !found; });
  return found;
}

enum class Use : uint8_t { kNone, kRead, kOverwritten };

/// What a loop body does with a place first. Stores under a condition read it.
Use first_use(Stmt const& s, Place const& place) {
  if (auto const* list = s.as<Seq>()) {
    for (Stmt const& child : list->stmts)
      if (Use use = first_use(child, place); use != Use::kNone) return use;
    return Use::kNone;
  }
  if (auto const* loop = s.as<For>()) {
    Use use = first_use(loop->body, place);
    bool runs = as_int(loop->extent).value_or(0) > 0;
    return use == Use::kOverwritten && !runs ? Use::kRead : use;
  }
  bool reads = false;  // every load of the buffer is at one of its places
  walk_exprs(s, [&](Expr const& e) {
    auto const* read = e.as<Load>();
    reads = reads || (read && read->buffer->name == place.buffer->name &&
                      equal(read->indices[0], place.index));
    return !reads;
  });
  auto const* store = s.as<Store>();
  bool writes =
      store && store->buffer->name == place.buffer->name && equal(store->indices[0], place.index);
  return reads ? Use::kRead : writes ? Use::kOverwritten : Use::kNone;
}

Expr zero(DType type, int lanes) {
  Expr one = type == DType::kBool ? bool_imm(false)
             : is_float(type)     ? float_imm(0, type)
                                  : int_imm(0, type);
  return lanes == 1 ? one : make<Broadcast>(one, lanes);
}

Expr whole(int lanes) {
  return lanes == 1 ? int_imm(0) : make<Ramp>(int_imm(0), int_imm(1), lanes);
}

/// Replaces the places by their accumulators.
class Replacing : public Rewriter {
public:
  explicit Replacing(Accesses const& accesses) : accesses_(accesses) {}
  Expr visit(Expr const& e) override {
    Expr next = rebuild(e);
    auto const* read = next.as<Load>();
    Place const* place = read ? find(read->buffer->name, read->indices[0]) : nullptr;
    return place ? load(place->accumulator, {whole(place->index.lanes())}) : next;
  }
  Stmt visit(Stmt const& s) override {
    Stmt next = rebuild(s);
    auto const* store = next.as<Store>();
    Place const* place = store ? find(store->buffer->name, store->indices[0]) : nullptr;
    if (!place) return next;
    return make_from<Store>(without_words(store->origin), place->accumulator,
                            std::vector<Expr>{whole(place->index.lanes())}, store->value);
  }

private:
  Place const* find(std::string const& buffer, Expr const& index) const {
    auto found = accesses_.places.find(buffer);
    if (found == accesses_.places.end()) return nullptr;
    for (Place const& place : found->second)
      if (equal(place.index, index)) return &place;
    return nullptr;
  }
  Accesses const& accesses_;
};

class Promotion : public Rewriter {
public:
  Expr visit(Expr const& e) override { return e; }
  Stmt visit(Stmt const& s) override {
    if (auto const* list = s.as<Seq>()) return visit_list(*list, s);
    auto const* loop = s.as<For>();
    if (!loop) return rebuild(s);
    if (loop->loop_kind == LoopKind::kParallel) {
      Stores around = std::exchange(before_, {});
      Stmt next = rebuild(s);
      before_ = std::move(around);
      return next;
    }
    AccessCollector collected(loop->body);
    collected.bound_.insert(loop->name());
    if (!promotable(loop->body, collected, before_)) return rebuild(s);
    return promoted(s, collected.result);
  }

private:
  Stmt visit_list(Seq const& list, Stmt const& s) {
    size_t known = before_.size();
    std::vector<Stmt> stmts;
    bool same = true;
    for (size_t i = 0; i < list.stmts.size();) {
      size_t end = end_of_row(list, i);
      Stmt row = promoted_row(list, i, end);
      if (row) stmts.push_back(row);
      for (size_t j = i; j < end; ++j) {
        if (!row) stmts.push_back(visit(list.stmts[j]));
        same = same && !row && stmts.back().same_as(list.stmts[j]);
        if (auto const* store = list.stmts[j].as<Store>()) before_.push_back(store);
      }
      i = end;
    }
    before_.resize(known);
    if (same) return s;
    return stmts.size() == 1 ? stmts.front() : make_from<Seq>(list.origin, std::move(stmts));
  }

  /// Statements without loops from one place on; one that has a loop stands alone.
  static size_t end_of_row(Seq const& list, size_t from) {
    size_t end = from;
    while (end < list.stmts.size() && !has_loop(list.stmts[end])) ++end;
    return std::max(end, from + 1);
  }

  /// Null where nothing is written twice, or may not be kept.
  Stmt promoted_row(Seq const& list, size_t from, size_t end) {
    if (end - from < 2) return nullptr;
    Stmt row = make_from<Seq>(list.origin, std::vector<Stmt>(list.stmts.begin() + long(from),
                                                             list.stmts.begin() + long(end)));
    AccessCollector collected(row);
    drop_written_once(collected.result);
    return promotable(row, collected, before_) ? promoted(row, collected.result) : nullptr;
  }

  Stmt promoted(Stmt const& s, Accesses& accesses) {
    std::vector<Stmt> before, after;
    std::vector<Buffer> buffers;
    for (auto& [name, places] : accesses.places)
      for (Place& place : places) {
        int lanes = place.index.lanes();
        place.accumulator =
            make_buffer(fmt::format("acc.{}", next_++), place.buffer->type, {lanes}, "register");
        buffers.push_back(place.accumulator);
        Expr all = whole(lanes);
        // What is overwritten first is not read: it may never have been written before.
        Expr start = first_use(s, place) == Use::kOverwritten ? zero(place.buffer->type, lanes)
                                                              : load(place.buffer, {place.index});
        Origin origin = without_words(s->origin), last = origin;
        last.annotations = place.words;
        before.push_back(
            make_from<Store>(origin, place.accumulator, std::vector<Expr>{all}, std::move(start)));
        after.push_back(make_from<Store>(std::move(last), place.buffer,
                                         std::vector<Expr>{place.index},
                                         load(place.accumulator, {all})));
      }
    before.push_back(Replacing(accesses).visit(s));
    before.insert(before.end(), after.begin(), after.end());
    Stmt body = seq(std::move(before));
    for (size_t i = buffers.size(); i-- > 0;)
      body = make_from<Alloc>(without_words(s->origin), buffers[i], body);
    return body;
  }
  int next_ = 0;
  Stores before_;  // stores before this place in the lists around
};

Result<KernelIr> run_promote_accumulators(KernelIr const& kernel, PassContext const&) {
  return rewrite_bodies(kernel, [](Stmt const& body) { return Promotion().visit(body); });
}

}  // namespace

Pass promote_accumulators() {
  return {"promote_accumulators",
          "Keeps accumulators in registers: loads them before the loop and stores them after it",
          "after unrolling: each element of a register tile has a fixed place",
          run_promote_accumulators,
          {.needs = {Invariant::kNoBlocks, Invariant::kFlatBuffers, Invariant::kNoVectorLoops},
           .gives = {Invariant::kWholeRegisters}}};
}

}  // namespace tw
