// Memories, planes of iterations and films of accesses, as a session tells of them.
#include "engine/session/memory.h"

#include <QtTest>

#include <chrono>
#include <map>
#include <thread>

#include "engine/session/miss_counts.h"
#include "tests/support/sessions.h"

using namespace tw;
using namespace tw::session;

namespace {

template <typename Ask>
auto wait_for(Ask ask) -> decltype(ask()) {
  for (int i = 0; i < 20'000; ++i) {
    if (auto view = ask()) return view;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return nullptr;
}

MemoryLane const* lane_of(LanesView const& view, std::string const& name) {
  auto lane = std::ranges::find(view.lanes, name, &MemoryLane::name);
  return lane == view.lanes.end() ? nullptr : &*lane;
}

constexpr char kLarge[] =
    "tilewright te 1\n"
    "kernel large(A: f32[1024, 1024], B: f32[1024, 1024]) -> C\n"
    "  C[i in 1024, j in 1024] = sum[k in 1024] A[i, k] * B[k, j]\n";
constexpr char kMiddle[] =
    "tilewright te 1\n"
    "kernel middle(A: f32[128, 128], B: f32[128, 128]) -> C\n"
    "  C[i in 128, j in 128] = sum[k in 128] A[i, k] * B[k, j]\n";
constexpr char kSum[] =
    "tilewright te 1\n"
    "kernel add(A: f32[30, 20], B: f32[30, 20]) -> C\n"
    "  C[i in 30, j in 20] = A[i, j] + B[i, j]\n";
constexpr char kScan[] =
    "tilewright te 1\n"
    "kernel scan(X: f32[6, 5]) -> H\n"
    "  H[scan t in 6, j in 5]: f32 = X[t, j] + select(1 <= t, H[t-1, j] * 0.5, 0)\n";

}  // namespace

class MemoryTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() { session_ = testing::make_session(false); }

  void a_cache_has_what_the_outermost_loop_works_on_that_fits() {
    open(kLarge);
    apply(
        "i0, i1 = split(C.i, factor=8); j0, j1 = split(C.j, factor=16); reorder(i0, j0, C.k, i1, "
        "j1)");
    auto view = wait_for([&] { return lanes(*session_); });
    QVERIFY(view);
    QCOMPARE(view->block, std::string("C"));
    std::vector<int64_t> caches = session_->snapshot().machine->cache_bytes;
    MemoryLane const* first = lane_of(*view, "L1");
    QVERIFY(first && first->bytes == caches.front());
    NestView const& nest = *session_->snapshot().nest;
    // By the loop nest's own figures: the loops outside of the lane's work on more than fits.
    bool below = first->loop < 0;
    int64_t parts = 0;
    for (LoopBar const& bar : nest.bars) {
      below = below || bar.id == first->loop;
      if (!below) QVERIFY(bar.footprint > caches.front() / 2);
      if (bar.id != first->loop) continue;
      QVERIFY(bar.footprint <= caches.front());
      for (LanePart const& part : first->parts) parts += part.bytes;
      QCOMPARE(parts, bar.footprint);
    }
    QVERIFY(below);
  }

  void main_memory_has_what_no_cache_holds_whole() {
    auto view = wait_for([&] { return lanes(*session_); });
    MemoryLane const* main = lane_of(*view, "DRAM");
    QVERIFY(main && main == &view->lanes.back());
    for (MemoryLane const& lane : view->lanes)
      for (LanePart const& part : lane.parts)
        if (lane.kind == LaneKind::kCache && part.whole)
          QVERIFY(std::ranges::count(main->parts, part.tensor, &LanePart::tensor) == 0);
    open(kSum);
    view = wait_for([&] { return lanes(*session_); });
    MemoryLane const* first = lane_of(*view, "L1");
    QCOMPARE(first->loop, -1);
    QCOMPARE(first->parts.size(), size_t(3));
    QVERIFY(first->parts.front().whole && first->parts.front().bytes == 30 * 20 * 4);
    QVERIFY(lane_of(*view, "DRAM")->parts.empty());
  }

  void registers_have_the_sums_of_unrolled_and_vector_loops() {
    open(kLarge);
    apply(
        "j0, j1 = split(C.j, factor=8); i0, i1 = split(C.i, factor=6); reorder(i0, j0, C.k, i1, "
        "j1); "
        "unroll(i1); vectorize(j1)");
    auto view = wait_for([&] { return lanes(*session_); });
    MemoryLane const* registers = lane_of(*view, "Registers");
    QVERIFY(registers);
    QCOMPARE(registers->parts.front().tensor, std::string("C"));
    QCOMPARE(registers->parts.front().bytes, int64_t(6 * 8 * 4));
    QCOMPARE(registers->reference, std::string("C.k"));
  }

  void a_drop_is_a_copy_at_the_lanes_loop() {
    auto view = wait_for([&] { return lanes(*session_); });
    MemoryLane lane = *lane_of(*view, "L2");
    lane.reference = "C.j0";
    for (char const* tensor : {"B", "C"}) {
      std::string line = line_for_drop(*view, tensor, lane);
      QVERIFY2(!line.empty(), tensor);
      StepPreview preview = session_->preview(line);
      QVERIFY2(!preview.refusal, preview.refusal ? preview.refusal->message.c_str() : "");
    }
    QCOMPARE(line_for_drop(*view, "C", *lane_of(*view, "DRAM")), std::string());
    QCOMPARE(line_for_drop(*view, "nothing", lane), std::string());
  }

  void a_name_that_is_taken_is_not_taken_again() {
    apply("cache_write(C)");
    auto view = wait_for([&] { return lanes(*session_); });
    MemoryLane lane = *lane_of(*view, "L2");
    lane.reference = "C.j0";
    std::string line = line_for_drop(*view, "C_cache", lane);
    QVERIFY2(line.find("C_write_2") != line.npos, line.c_str());
    StepPreview preview = session_->preview(line);
    QVERIFY2(!preview.refusal, (line + (preview.refusal ? preview.refusal->message : "")).c_str());
  }

  void iterations_come_in_the_order_of_the_loops() {
    open(kSum);
    apply("i0, i1 = split(C.i, factor=4); j0, j1 = split(C.j, factor=8); reorder(i0, j0, i1, j1)");
    auto view = wait_for([&] { return plane(*session_, {"C", "j", "i"}); });
    QVERIFY(view);
    QCOMPARE(view->right.name, std::string("j"));
    QCOMPARE(view->right.extent, int64_t(20));
    std::vector<int64_t> strides;
    for (PlaneStride const& one : view->right.strides) strides.push_back(one.stride);
    QCOMPARE(strides, (std::vector<int64_t>{8, 1}));
    QVERIFY(view->complete);
    std::vector<std::pair<int, int>> wanted, seen;
    int64_t skipped = 0;
    for (int i0 = 0; i0 < 8; ++i0)
      for (int j0 = 0; j0 < 3; ++j0)
        for (int i1 = 0; i1 < 4; ++i1)
          for (int j1 = 0; j1 < 8; ++j1) {
            int i = i0 * 4 + i1, j = j0 * 8 + j1;
            if (i < 30 && j < 20)
              wanted.push_back({j, i});
            else
              ++skipped;
          }
    for (PlanePoint const& point : view->order) seen.push_back({point.right, point.down});
    QVERIFY(seen == wanted);
    QCOMPARE(view->skipped, skipped);
    QVERIFY(view->arrows.empty());
  }

  void a_tile_of_the_plane_is_a_legal_step() {
    open(kSum);
    auto view = wait_for([&] { return plane(*session_, {"C", "j", "i"}); });
    std::string line = line_for_tile(*view, 5, 6);
    QVERIFY2(!session_->preview(line).refusal, line.c_str());
    apply(line);
    QCOMPARE(session_->snapshot().nest->bars.size(), size_t(4));
    auto tiled = wait_for([&] { return plane(*session_, {"C", "j", "i"}); });
    QCOMPARE(tiled->right.strides.front().stride, int64_t(5));
    QCOMPARE(tiled->down.strides.front().stride, int64_t(6));
    QCOMPARE(line_for_tile(*view, 1, 1), std::string());
  }

  void sums_and_recurrences_have_arrows() {
    open(kLarge);
    auto sum = wait_for([&] { return plane(*session_, {"C", "k", "i"}); });
    QCOMPARE(sum->arrows.size(), size_t(1));
    QCOMPARE(sum->arrows.front().right, int64_t(1));
    QCOMPARE(sum->arrows.front().down, int64_t(0));
    QVERIFY(!sum->complete);
    open(kScan);
    auto scan = wait_for([&] { return plane(*session_, {"H", "j", "t"}); });
    QCOMPARE(scan->arrows.size(), size_t(1));
    QCOMPARE(scan->arrows.front().down, int64_t(1));
    QCOMPARE(scan->arrows.front().right, int64_t(0));
  }

  void a_film_has_every_access_once() {
    open(kSum);
    apply("vectorize(C.j)");
    auto view = wait_for([&] { return film(*session_, 0); });
    QVERIFY(view);
    QVERIFY2(view->failure.empty(), view->failure.c_str());
    QCOMPARE(view->frames(), 30);  // a frame is all lanes of a vector
    QCOMPARE(view->accesses.size(), size_t(3 * 30 * 20));
    QCOMPARE(view->share, 1.0);
    // Each of the lines comes once from main memory, and is in the first cache from then on.
    int last = view->frames() - 1;
    QCOMPARE(view->missed_by(last, MissKind::kCold), int64_t(3 * 38));
    QCOMPARE(view->missed_by(last, MissKind::kCapacity), int64_t(0));
    int main = int(view->levels.size()) - 1;
    QCOMPARE(view->answered_by(last, size_t(main)), int64_t(3 * 38));
    QCOMPARE(view->answered_by(last, 0), int64_t(3 * 600 - 3 * 38));
    QCOMPARE(view->reuse.first, int64_t(3 * 38));
    QCOMPARE(view->reuse.total(), int64_t(view->accesses.size()));
    QCOMPARE(view->level_at(0, 0, 0), 0);
    QCOMPARE(view->level_at(0, 0, 599), main);
    QCOMPARE(view->level_at(last, 0, 599), 0);
  }

  void what_flows_is_that_of_the_state_that_is_looked_at() {
    RooflineView roofline;
    QVERIFY(memory_flow(roofline).empty());
    roofline.roofs = {{"FMA f32", true, 100, 2}, {"L1", false, 400, 2}, {"DRAM", false, 20, 2}};
    RooflinePoint before{.model_ms = 9}, now{.model_ms = 2};
    before.levels = {{"L1", 0, 1, 1}};
    now.levels = {{"L1", 1, 4e8, 1}, {"L2", 1, 1e6, 0}, {"DRAM", 1, 4e7, 2}};
    now.current = true;
    roofline.trail = {before, now};
    std::vector<FlowLink> links = memory_flow(roofline);
    QCOMPARE(links.size(), size_t(3));
    QCOMPARE(links[0].bytes, 4e8);
    QCOMPARE(links[0].rate, 400.0);
    QCOMPARE(links[0].of_time, 0.5);
    QVERIFY(!links[0].binds && links[2].binds);
    QCOMPARE(links[1].rate, 0.0);  // nobody measured it
    QCOMPARE(links[1].of_time, 0.0);
  }

  void misses_of_each_line_are_counted_up_to_any_frame() {
    open(kMiddle);
    auto view = wait_for([&] { return film(*session_, 0); });
    QVERIFY(view && view->failure.empty());
    int caches = int(view->levels.size()) - 1;
    QVERIFY(caches >= 1);
    for (int level = MissCounts::kAllLevels; level < caches; ++level) {
      MissCounts counts(*view, level);
      // By hand: frame after frame, each access in its turn.
      std::map<std::pair<int32_t, int64_t>, int64_t> by_hand;
      int64_t most = 0;
      auto line_of = [&](int32_t tensor, int64_t element) {
        return element * view->tensors[size_t(tensor)].element_bytes / view->line_bytes;
      };
      for (int frame = 0; frame < view->frames(); ++frame) {
        for (int64_t i = view->first_access[size_t(frame)];
             i < view->first_access[size_t(frame) + 1]; ++i) {
          FilmAccess const& access = view->accesses[size_t(i)];
          int64_t& count = by_hand[{access.tensor, line_of(access.tensor, access.element)}];
          for (int cache = 0; cache < caches; ++cache)
            count += access.level > cache && (level < 0 || cache == level);
          most = std::max(most, count);
        }
        if (counts.most(frame) != most) QCOMPARE(counts.most(frame), most);
        if (frame % 97 != 0 && frame != view->frames() - 1) continue;
        std::vector<int64_t> of_tensor(view->tensors.size(), 0);
        for (auto const& [line, count] : by_hand) {
          int64_t element = line.second * view->line_bytes / 4;
          QCOMPARE(counts.at(frame, line.first, element), count);
          QCOMPARE(counts.at(frame, line.first, element + 15), count);
          of_tensor[size_t(line.first)] = std::max(of_tensor[size_t(line.first)], count);
        }
        for (size_t i = 0; i < of_tensor.size(); ++i)
          QCOMPARE(counts.most_of(frame, int32_t(i)).count, of_tensor[i]);
      }
      // Rows of B lie in few sets of the first cache.
      if (level <= 0) QVERIFY(most > 1);
      // Back again: the count is of the frame that is asked for, not of the last one.
      QVERIFY(counts.most(0) < counts.most(view->frames() - 1) || most <= 1);
    }
  }

  void a_film_of_a_large_kernel_begins_anywhere_with_warm_caches() {
    open(kMiddle);
    auto first = wait_for([&] { return film(*session_, 0); });
    auto middle = wait_for([&] { return film(*session_, 0.5); });
    QVERIFY(first && middle);
    QVERIFY(first->share < 0.02 && std::abs(middle->from - 0.5) < 0.001);
    QCOMPARE(first->values[0], 0);
    QCOMPARE(middle->values[0], 64);  // of the outermost loop, i
    QVERIFY(first->frames() == middle->frames() && middle->frames() > 10'000);
    // All of B was seen before: a row of A and one of C are new, 8 lines each.
    int last = middle->frames() - 1;
    QVERIFY(first->missed_by(last, MissKind::kCold) > 128 * 8);
    QVERIFY(middle->missed_by(last, MissKind::kCold) <= 4 * 8);
    // The same question again is answered at once, from what was kept.
    QCOMPARE(film(*session_, 0.5), middle);
  }

private:
  void open(char const* text) {
    std::ofstream(folder_.filePath("kernel.te").toStdString()) << text;
    QVERIFY(session_->execute(OpenModel{folder_.filePath("kernel.te").toStdString()}));
    QVERIFY(session_->wait_idle(60));
    QVERIFY(session_->snapshot().nest);
  }
  void apply(std::string const& line) {
    QVERIFY(session_->execute(ApplyStep{line}));
    auto refusal = session_->snapshot().refusal;
    QVERIFY2(!refusal, refusal ? refusal->message.c_str() : "");
    QVERIFY(session_->wait_idle(60));
  }

  QTemporaryDir folder_;
  std::unique_ptr<Session> session_;
};

QTEST_GUILESS_MAIN(MemoryTest)
#include "memory_test.moc"
