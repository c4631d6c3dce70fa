// Small streams, changed a little: whether the change does harm is found out by trying all orders,
// and the prover must say the same, at the same place.
#include <QtTest>

#include "targets/vta/hardware/assembly.h"
#include "targets/vta/prover/prover.h"
#include "tests/support/vta_interleavings.h"
#include "tests/support/vta_streams.h"

using namespace tw;
using namespace tw::vta;
using namespace tw::vta::testing;

namespace {

constexpr size_t kMostInstructions = 22;

struct Mutation {
  char const* kind = "";
  std::string text;
};

bool* flag_of(Tokens& tokens, int64_t which) {
  bool* flags[] = {&tokens.pop_prev, &tokens.pop_next, &tokens.push_prev, &tokens.push_next};
  return flags[which];
}
bool has_neighbour(Instruction const& i, int64_t which) {
  Module module = module_of(i);
  bool prev = which == 0 || which == 2;
  return prev ? module != Module::kLoad : module != Module::kStore;
}

class Mutator {
public:
  Mutator(Stream& stream, Rng& rng) : stream_(stream), rng_(rng) {}

  /// Nothing: what was drawn cannot be done here.
  std::optional<Mutation> mutate() {
    switch (rng_.below(5)) {
      case 0:
        return drop();
      case 1:
        return add();
      case 2:
        return move();
      case 3:
        return swap();
      default:
        return overlap();
    }
  }

private:
  /// A token of one instruction, or one with its partner.
  std::optional<Mutation> drop() {
    auto [i, which] = some_flag(true);
    if (i < 0) return std::nullopt;
    *flag_of(stream_[size_t(i)].tokens, which) = false;
    if (rng_.below(2)) return made("token dropped", i);
    // The last one at the other end of the queue: counts stay balanced.
    int64_t other = which < 2 ? which ^ 3 : 3 - which;
    for (auto k = int64_t(stream_.size()) - 1; k >= 0; --k) {
      Instruction& end = stream_[size_t(k)];
      bool next = (which % 2) == 1;
      int step = int(module_of(end)) - int(module_of(stream_[size_t(i)]));
      if (step != (next ? 1 : -1) || !*flag_of(end.tokens, other)) continue;
      *flag_of(end.tokens, other) = false;
      return made("pair dropped", i);
    }
    return made("token dropped", i);
  }
  std::optional<Mutation> add() {
    auto [i, which] = some_flag(false);
    if (i < 0) return std::nullopt;
    *flag_of(stream_[size_t(i)].tokens, which) = true;
    return made("token added", i);
  }
  /// To another instruction of the module.
  std::optional<Mutation> move() {
    auto [i, which] = some_flag(true);
    if (i < 0) return std::nullopt;
    int64_t k = rng_.below(int64_t(stream_.size()));
    Instruction &from = stream_[size_t(i)], &to = stream_[size_t(k)];
    if (module_of(from) != module_of(to) || *flag_of(to.tokens, which)) return std::nullopt;
    std::swap(*flag_of(from.tokens, which), *flag_of(to.tokens, which));
    return made("token moved", i);
  }
  std::optional<Mutation> swap() {
    int64_t i = rng_.below(int64_t(stream_.size()) - 2);
    std::swap(stream_[size_t(i)].tokens, stream_[size_t(i) + 1].tokens);
    for (int64_t k : {i, i + 1})
      for (int64_t which = 0; which < 4; ++which)
        if (*flag_of(stream_[size_t(k)].tokens, which) && !has_neighbour(stream_[size_t(k)], which))
          return std::nullopt;
    return made("tokens swapped", i);
  }
  std::optional<Mutation> overlap() {
    int64_t i = rng_.below(int64_t(stream_.size())), k = rng_.below(int64_t(stream_.size()));
    Instruction &one = stream_[size_t(i)], &other = stream_[size_t(k)];
    auto moves = [](Instruction const& x) {
      return (x.opcode == Opcode::kLoad || x.opcode == Opcode::kStore) && !x.transfer.nothing();
    };
    if (i == k || !moves(one)) return std::nullopt;
    bool dram = rng_.below(2);
    if (moves(other) && !dram) one.transfer.sram = other.transfer.sram;
    if (moves(other) && dram) one.transfer.dram = other.transfer.dram;
    if (!moves(other)) one.transfer.sram = uint32_t(rng_.below(4));
    return made(dram ? "overlap in DRAM" : "overlap in SRAM", i);
  }

  std::pair<int64_t, int64_t> some_flag(bool set) {
    for (int attempt = 0; attempt < 50; ++attempt) {
      int64_t i = rng_.below(int64_t(stream_.size()) - 1), which = rng_.below(4);
      if (has_neighbour(stream_[size_t(i)], which) &&
          *flag_of(stream_[size_t(i)].tokens, which) == set)
        return {i, which};
    }
    return {-1, 0};
  }
  Mutation made(char const* kind, int64_t i) const {
    return {kind, std::string(kind) + " at instruction " + std::to_string(i) + ", now '" +
                      to_line(stream_[size_t(i)]) + "'"};
  }

  Stream& stream_;
  Rng& rng_;
};

/// Of what the prover found, in the words of the exploration.
Exploration said(ProofResult const& proof, Stream const& stream) {
  Exploration made;
  made.deadlock = !proof.deadlock.empty();
  for (Hazard const& hazard : proof.hazards) {
    made.left_over |= hazard.code == "left_over_token";
    made.overflow |= hazard.code == "lost_token";
  }
  for (Race const& race : proof.races) {
    int space = race.in_dram                  ? 0
                : race.memory == Memory::kInp ? 1
                : race.memory == Memory::kWgt ? 2
                                              : 3;
    if (stream[size_t(race.second)].opcode == Opcode::kFinish)
      made.unfinished.insert(race.first);
    else
      made.unordered_conflicts.emplace(race.first, race.second, space);
  }
  return made;
}

std::string difference(Exploration const& tried, Exploration const& proved) {
  if (tried.deadlock != proved.deadlock) return "the deadlock";
  if (tried.deadlock) return "";  // what comes behind is not reached
  if (tried.left_over != proved.left_over) return "tokens left over";
  if (tried.overflow != proved.overflow) return "tokens lost";
  if (tried.unfinished != proved.unfinished) return "stores after the end";
  if (tried.unordered_conflicts != proved.unordered_conflicts) return "the races' places";
  return "";
}

struct Small {
  RandomStream base;
  uint64_t seed = 0;
};
Small small_stream(uint64_t& seed) {
  for (;; ++seed) {
    Rng rng(seed);
    RandomStream made = random_stream(rng);
    if (made.stream.size() <= kMostInstructions) return {std::move(made), seed++};
  }
}

}  // namespace

class MutationsTest : public QObject {
  Q_OBJECT
private slots:
  void the_exploration_finds_nothing_in_legal_streams() {
    uint64_t seed = 1;
    for (int i = 0; i < 60; ++i) {
      auto [base, number] = small_stream(seed);
      Exploration tried = Interleavings(base.configuration, base.stream).explore(base.dram);
      QVERIFY2(!tried.harmful(), qPrintable(QString("seed %1").arg(number)));
    }
  }

  void every_harmful_mutation_is_caught_at_its_place() {
    int wanted = qEnvironmentVariableIntValue("TW_MUTATIONS");
    if (wanted <= 0) wanted = 200;
    std::map<std::string, std::pair<int, int>> counts;  // harmful, equivalent
    std::map<std::string, int> kinds_of_harm;
    int seen_in_bytes = 0, harmful = 0, done = 0, impossible = 0;
    QStringList equivalent;
    uint64_t seed = 1;
    while (done < wanted) {
      auto [base, number] = small_stream(seed);
      Rng rng(number * 7919);
      for (int attempt = 0; attempt < 3 && done < wanted; ++attempt) {
        RandomStream mutated = base;
        mutated.configuration.tokens_stall = false;  // a token too many is lost, and found
        auto mutation = Mutator(mutated.stream, rng).mutate();
        if (!mutation || mutated.stream == base.stream) continue;
        auto proof =
            prove(mutated.configuration, mutated.stream, mutated.dram, {.most_races = 100'000});
        if (!proof) ++impossible;  // an instruction that cannot run at all
        QVERIFY2(impossible < 10 * wanted, proof ? "" : to_sentence(proof.error()).c_str());
        if (!proof) continue;
        ++done;
        Interleavings orders(mutated.configuration, mutated.stream);
        Exploration tried = orders.explore(mutated.dram);
        std::string wrong = difference(tried, said(*proof, mutated.stream));
        QVERIFY2(wrong.empty(), qPrintable(QString("seed %1, %2: the prover is wrong about %3")
                                               .arg(number)
                                               .arg(mutation->text.c_str())
                                               .arg(wrong.c_str())));
        size_t outcomes = tried.deadlock ? 1 : different_outcomes(orders, mutated.dram, rng);
        // Bytes that differ without a race would be a hole in the model itself.
        QVERIFY2(outcomes == 1 || tried.harmful(),
                 qPrintable(QString("seed %1, %2").arg(number).arg(mutation->text.c_str())));
        bool harm = tried.harmful();
        harmful += harm, seen_in_bytes += outcomes > 1;
        ++(harm ? counts[mutation->kind].first : counts[mutation->kind].second);
        if (harm)
          ++kinds_of_harm[tried.deadlock                       ? "deadlock"
                          : tried.left_over                    ? "left-over token"
                          : !tried.unordered_conflicts.empty() ? "race"
                          : !tried.unfinished.empty()          ? "end too soon"
                                                               : "lost token"];
        if (!harm) equivalent << QString("seed %1: %2").arg(number).arg(mutation->text.c_str());
      }
    }
    for (auto const& [kind, count] : counts)
      qInfo("%-16s %4d harmful %4d equivalent", kind.c_str(), count.first, count.second);
    for (auto const& [kind, count] : kinds_of_harm) qInfo("harm: %-16s %4d", kind.c_str(), count);
    qInfo(
        "%d mutations: %d harmful, all caught at their place; %d of them change bytes in some "
        "order; %d equivalent",
        done, harmful, seen_in_bytes, done - harmful);
    if (qEnvironmentVariableIsSet("TW_MUTATIONS"))
      for (QString const& one : equivalent) qInfo("equivalent: %s", qPrintable(one));
    QVERIFY(harmful > wanted / 4 && harmful < wanted);
  }

private:
  /// The most that one of a few random memories shows.
  static size_t different_outcomes(Interleavings& orders, std::vector<std::byte> const& dram,
                                   Rng& rng) {
    size_t most = 0;
    for (int contents = 0; contents < 2; ++contents) {
      std::vector<std::byte> other = dram;
      // Micro-ops stay: they are the program.
      for (size_t i = 512; i < other.size(); ++i) other[i] = std::byte(rng.next());
      most = std::max(most, orders.outcomes(other, 300));
    }
    return most;
  }
};

QTEST_GUILESS_MAIN(MutationsTest)
#include "mutations_test.moc"
