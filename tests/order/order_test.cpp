// What is before what, who is stuck, what nothing orders and how many tokens can wait: for courses
// made at random, against a search through all orders in which the events can happen.
#include <QElapsedTimer>
#include <QtTest>

#include <algorithm>
#include <set>

#include "engine/order/unordered_pairs.h"
#include "engine/support/base/random.h"

using namespace tw;
using namespace tw::order;

namespace {

constexpr uint64_t kSeed = 20261130;
constexpr int kCourses = 3'000;

/// How many events of each agent are done.
using State = std::vector<int32_t>;

/// All states that can be reached, by trying everything.
class Interleavings {
public:
  explicit Interleavings(Course const& course) : course_(course) {
    visit(State(size_t(course.agents())));
  }

  std::set<State> const& states() const { return states_; }
  bool happens(int32_t event) const {
    return std::ranges::any_of(states_, [&](State const& s) { return is_done(s, event); });
  }
  /// No state has `b` done without `a`.
  bool is_before(int32_t a, int32_t b) const {
    return std::ranges::none_of(states_,
                                [&](State const& s) { return is_done(s, b) && !is_done(s, a); });
  }
  /// Some run ends before all is done; agents at their ends.
  bool may_stick() const { return sticks_; }
  bool may_end() const {
    return std::ranges::any_of(states_, [&](State const& s) {
      for (int32_t a = 0; a < course_.agents(); ++a)
        if (s[size_t(a)] < int32_t(course_.events_of(a).size())) return false;
      return true;
    });
  }

private:
  bool is_done(State const& s, int32_t event) const {
    return s[size_t(course_.agent(event))] > course_.index(event);
  }
  int64_t count(State const& s, int32_t counter) const {
    int64_t total = 0;
    for (int32_t event = 0; event < course_.events(); ++event)
      for (Signal const& signal : course_.signals_of(event))
        if (signal.counter == counter && is_done(s, event)) total += signal.amount;
    return total;
  }
  void visit(State const& s) {
    if (!states_.insert(s).second) return;
    bool ends = true, moves = false;
    for (int32_t a = 0; a < course_.agents(); ++a) {
      auto const& events = course_.events_of(a);
      if (s[size_t(a)] == int32_t(events.size())) continue;
      ends = false;
      bool ready = std::ranges::all_of(course_.waits_of(events[size_t(s[size_t(a)])]),
                                       [&](Wait w) { return count(s, w.counter) >= w.at_least; });
      if (!ready) continue;
      moves = true;
      State next = s;
      ++next[size_t(a)];
      visit(next);
    }
    sticks_ = sticks_ || (!moves && !ends);
  }

  Course const& course_;
  std::set<State> states_;
  bool sticks_ = false;
};

struct Drawn {
  Course course;
  std::vector<Footprint> footprints;
  /// Of the first queue, by number of the push or pop.
  std::vector<int32_t> pushers, poppers;
  int32_t popping = 1;
};

IntervalSet random_set(Rng& rng) {
  if (rng.below(3) == 0) return nullptr;
  auto made = std::make_shared<Intervals>();
  for (int64_t at = rng.below(4); at < 8; at += rng.between(2, 5))
    made->push_back({at, at + 1 + rng.below(1)});
  return made->empty() ? nullptr : IntervalSet(made);
}

/// Tokens between the first two agents, barriers of all, and counters that anybody given and
/// waits for.
Drawn draw(uint64_t seed) {
  Rng rng(seed);
  Drawn drawn;
  Course& course = drawn.course;
  auto agents = int32_t(rng.between(2, 4));
  for (int32_t a = 0; a < agents; ++a) course.add_agent("agent " + std::to_string(a));
  Queue queue(course, "tokens", rng.below(2) ? Queue::kUnbounded : rng.between(1, 2));
  int32_t barrier = course.add_counter("barrier"), free = course.add_counter("free");
  std::vector<int64_t> met(size_t(agents), 0);
  bool meets = rng.below(2);
  int64_t events = rng.between(4, 13);
  for (int64_t e = 0; e < events; ++e) {
    auto agent = int32_t(rng.below(agents));
    std::vector<Wait> waits;
    std::vector<Signal> given;
    bool pushes = agent == 0 && rng.below(2), pops = agent == 1 && rng.below(2);
    if (pushes) queue.push(waits, given);
    if (pops) queue.pop(waits, given);
    if (meets && rng.below(4) == 0) {
      course.add_event(agent, {}, std::vector<Signal>{{barrier}});
      drawn.footprints.push_back({});
      waits.push_back({barrier, agents * ++met[size_t(agent)]});
    }
    if (rng.below(4) == 0) waits.push_back({free, rng.between(1, 3)});
    if (rng.below(3) == 0) given.push_back({free, rng.between(1, 2)});
    int32_t event = course.add_event(agent, waits, given);
    drawn.footprints.push_back({random_set(rng), random_set(rng)});
    if (pushes) drawn.pushers.push_back(event);
    if (pops) drawn.poppers.push_back(event);
  }
  return drawn;
}

bool overlap(IntervalSet const& a, IntervalSet const& b) {
  if (!a || !b) return false;
  for (Interval const& one : *a)
    for (Interval const& other : *b)
      if (one.begin < other.end && other.begin < one.end) return true;
  return false;
}

bool conflict(Footprint const& a, Footprint const& b) {
  return overlap(a.writes, b.writes) || overlap(a.writes, b.reads) || overlap(a.reads, b.writes);
}

}  // namespace

class OrderTest : public QObject {
  Q_OBJECT
private slots:
  void what_is_before_what_is_what_all_orders_say() {
    qInfo("seed %llu", static_cast<unsigned long long>(kSeed));
    int64_t ordered = 0, unordered = 0;
    for (uint64_t i = 0; i < kCourses; ++i) {
      Drawn drawn = draw(kSeed + i);
      Interleavings all(drawn.course);
      HappensBefore order(drawn.course);
      QString where = QString("course %1").arg(i);
      for (int32_t a = 0; a < order.size(); ++a) {
        QVERIFY2(order.happens(a) == all.happens(a), qPrintable(where));
        for (int32_t b = 0; b < order.size(); ++b) {
          if (a == b || !order.happens(a) || !order.happens(b)) continue;
          QVERIFY2(order.is_before(a, b) == all.is_before(a, b), qPrintable(where));
          ++(order.is_before(a, b) ? ordered : unordered);
        }
      }
    }
    qInfo("%lld pairs in order, %lld not", static_cast<long long>(ordered),
          static_cast<long long>(unordered));
    QVERIFY(ordered > kCourses && unordered > kCourses);
  }

  void who_waits_forever_does_so_in_every_order() {
    int stuck_courses = 0;
    for (uint64_t i = 0; i < kCourses; ++i) {
      Drawn drawn = draw(kSeed + i);
      Interleavings all(drawn.course);
      std::vector<Stuck> found = stuck(drawn.course);
      QString where = QString("course %1").arg(i);
      QVERIFY2(found.empty() != all.may_stick(), qPrintable(where));
      QVERIFY2(found.empty() == all.may_end(), qPrintable(where));
      QCOMPARE(HappensBefore(drawn.course).all_happen(), found.empty());
      stuck_courses += !found.empty();
    }
    qInfo("%d of %d get stuck", stuck_courses, kCourses);
    QVERIFY(stuck_courses > kCourses / 20 && stuck_courses < kCourses * 19 / 20);
  }

  void pairs_that_nothing_orders_are_found_all_and_only_those() {
    int64_t pairs = 0;
    for (uint64_t i = 0; i < kCourses; ++i) {
      Drawn drawn = draw(kSeed + i);
      Interleavings all(drawn.course);
      HappensBefore order(drawn.course);
      std::set<std::pair<int32_t, int32_t>> found, wanted, listed;
      for (UnorderedPair const& pair : unordered_pairs(order, drawn.footprints, 10'000))
        found.emplace(pair.a, pair.b);
      for (int32_t a = 0; a < order.agents(); ++a)
        for (int32_t b = a + 1; b < order.agents(); ++b)
          each_unordered(order, a, b, [&](int32_t one, int32_t other) {
            if (conflict(drawn.footprints[size_t(one)], drawn.footprints[size_t(other)]))
              listed.emplace(one, other);
          });
      for (int32_t a = 0; a < order.size(); ++a)
        for (int32_t b = 0; b < order.size(); ++b) {
          if (order.agent(a) >= order.agent(b) || !all.happens(a) || !all.happens(b)) continue;
          if (all.is_before(a, b) || all.is_before(b, a)) continue;
          if (conflict(drawn.footprints[size_t(a)], drawn.footprints[size_t(b)]))
            wanted.emplace(a, b);
        }
      QVERIFY2(found == wanted && listed == wanted, qPrintable(QString("course %1").arg(i)));
      pairs += int64_t(wanted.size());
    }
    qInfo("%lld pairs", static_cast<long long>(pairs));
    QVERIFY(pairs > kCourses / 2);
  }

  void tokens_that_can_wait_are_counted_in_all_orders() {
    int crowded = 0;
    for (uint64_t i = 0; i < kCourses; ++i) {
      Drawn drawn = draw(kSeed + i);
      if (drawn.pushers.empty() || !stuck(drawn.course).empty()) continue;
      Interleavings all(drawn.course);
      HappensBefore order(drawn.course);
      for (int64_t most = 0; most < 3; ++most) {
        int32_t wanted = -1;
        for (int32_t pusher : drawn.pushers) {
          int64_t waiting = 0;
          for (State const& s : all.states()) {
            if (s[0] <= order.index(pusher)) continue;  // it is not done
            auto done = [&](int32_t e) { return s[size_t(order.agent(e))] > order.index(e); };
            auto pushed = std::ranges::count_if(drawn.pushers,
                                                [&](int32_t e) { return e <= pusher && done(e); });
            waiting =
                std::max<int64_t>(waiting, pushed - std::ranges::count_if(drawn.poppers, done));
          }
          if (wanted < 0 && waiting > most) wanted = pusher;
        }
        Crowd crowd = first_crowd(order, drawn.pushers, drawn.poppers, drawn.popping, most);
        QVERIFY2(crowd.event == wanted, qPrintable(QString("course %1, %2").arg(i).arg(most)));
        crowded += wanted >= 0;
      }
    }
    qInfo("%d questions whose answer is that too many can wait", crowded);
    QVERIFY(crowded > 100);
  }

  void those_who_wait_for_one_another_are_told_by_name() {
    Course course;
    int32_t producer = course.add_agent("producer"), consumer = course.add_agent("consumer");
    Queue full(course, "full", 1);
    std::vector<Wait> waits;
    std::vector<Signal> given;
    for (int i = 0; i < 2; ++i) {
      full.push(waits, given);
      course.add_event(producer, waits, given);
      waits.clear(), given.clear();
    }
    course.add_event(consumer, std::vector<Wait>{{course.add_counter("start")}}, {});
    QCOMPARE(to_sentence(stuck(course), course),
             std::string("producer waits for 1 of room in full, which stays at 0; consumer waits "
                         "for 1 of start, which stays at 0"));
  }

  /// A ring of three slots between two agents that a million tokens pass.
  void long_courses_take_as_long_as_they_have_events() {
    Course course;
    int32_t producer = course.add_agent("producer"), consumer = course.add_agent("consumer");
    Queue full(course, "full", 3);
    std::vector<Wait> waits;
    std::vector<Signal> given;
    std::vector<Footprint> footprints;
    auto slot = [](int64_t i) {
      return std::make_shared<Intervals const>(Intervals{{i % 3, i % 3 + 1}});
    };
    std::vector<std::shared_ptr<Intervals const>> places{slot(0), slot(1), slot(2)};
    for (int64_t i = 0; i < 500'000; ++i) {
      for (bool pushes : {true, false}) {
        pushes ? full.push(waits, given) : full.pop(waits, given);
        course.add_event(pushes ? producer : consumer, waits, given);
        footprints.push_back(pushes ? Footprint{nullptr, places[size_t(i % 3)]}
                                    : Footprint{places[size_t(i % 3)], nullptr});
        waits.clear(), given.clear();
      }
    }
    QElapsedTimer clock;
    clock.start();
    HappensBefore order(course);
    qint64 ordered = clock.restart();
    auto pairs = unordered_pairs(order, footprints, 10);
    qInfo("a million events in order after %lld ms, compared after %lld ms",
          static_cast<long long>(ordered), static_cast<long long>(clock.elapsed()));
    QVERIFY(order.all_happen());
    QVERIFY(pairs.empty());
  }
};

QTEST_GUILESS_MAIN(OrderTest)
#include "order_test.moc"
