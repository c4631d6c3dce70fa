// Streams with main memory as two outside implementations leave it: the published functional
// simulator, and the published hardware source run as C. Each is a design here, which differs in
// what it can do alone.
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>

#include "engine/support/base/random.h"
#include "engine/support/files.h"
#include "engine/support/sha256.h"
#include "targets/vta/hardware/assembly.h"
#include "targets/vta/hardware/boards.h"
#include "targets/vta/hardware/encoding.h"
#include "targets/vta/lint/lint.h"
#include "targets/vta/simulator/events.h"
#include "targets/vta/simulator/timing.h"
#include "tests/support/paths.h"

using namespace tw;
using namespace tw::vta;

namespace {

using Bytes = std::vector<std::byte>;
std::string const kFolder = testing::source("/tests/vta/upstream/");

/// A run of a stream, and what it left elsewhere.
struct Row {
  QString name;
  uint64_t seed = 0;
  std::string functional, hardware;  ///< the first 16 digits of main memory's SHA-256
};

std::vector<Row> rows() {
  QFile file(QString::fromStdString(kFolder + "expected.json"));
  if (!file.open(QIODevice::ReadOnly)) qFatal("expected.json is missing");
  QJsonObject streams = QJsonDocument::fromJson(file.readAll()).object()["streams"].toObject();
  std::vector<Row> all;
  for (auto one = streams.begin(); one != streams.end(); ++one)
    for (QJsonValue const& value : one.value().toObject()["memory"].toArray()) {
      QJsonObject run = value.toObject();
      all.push_back({one.key(), uint64_t(run["seed"].toInt()),
                     run["functional_simulator"].toString().toStdString(),
                     run["hardware_source"].toString().toStdString()});
    }
  return all;
}

/// The stream on a design of its sizes that can do what `like` can.
Assembly stream_for(QString const& name, char const* like) {
  auto read = parse_assembly(*read_text(kFolder + name.toStdString() + ".vtas"), "");
  if (!read) qFatal("%s", to_sentence(read.error()).c_str());
  Configuration const& able = *find_board(like);
  Configuration& c = read->configuration;
  c.acc8 = able.acc8, c.mul = able.mul, c.shift_bits = able.shift_bits;
  c.pad_only = able.pad_only, c.pad_wgt = able.pad_wgt, c.uop_rows = able.uop_rows,
  c.tokens_stall = able.tokens_stall;
  return *read;
}

/// As large as the stream reaches, with bytes by the seed, and micro-ops where they lie.
Bytes memory_of(Assembly const& assembly, uint64_t seed) {
  Configuration const& c = assembly.configuration;
  uint64_t bytes = 0;
  for (Instruction const& i : assembly.stream) {
    Transfer const& t = i.transfer;
    bool moves = i.opcode == Opcode::kLoad || i.opcode == Opcode::kStore;
    if (!moves || t.nothing()) continue;
    uint64_t last = t.dram + uint64_t(t.y_size - 1) * t.x_stride + t.x_size;
    bytes = std::max(bytes, last * uint64_t(c.element_bytes_in_dram(t.memory)));
  }
  for (auto const& [address, uop] : assembly.uops) bytes = std::max(bytes, (address + 1) * 4);
  Bytes memory{size_t(bytes)};
  for (Rng rng(seed); std::byte & one : memory) one = std::byte(rng.next());
  for (auto const& [address, uop] : assembly.uops) {
    uint64_t bits = encode(c, uop).value();
    std::memcpy(memory.data() + address * 4, &bits, 4);
  }
  return memory;
}

std::string digest_of(Bytes const& memory) {
  return sha256({reinterpret_cast<char const*>(memory.data()), memory.size()}).substr(0, 16);
}

/// What all three simulators leave, or why they refuse.
std::string left_by(Assembly const& assembly, uint64_t seed) {
  std::array<Bytes, 3> memory;
  memory.fill(memory_of(assembly, seed));
  auto run = run_behavioural(assembly.configuration, assembly.stream, memory[0]);
  if (!run) return run.error().code;
  auto events = run_events(assembly.configuration, assembly.stream, memory[1], {.seed = seed + 1});
  auto timed = run_timed(assembly.configuration, assembly.stream, memory[2]);
  if (!events || !timed) return "a simulator stops where another one does not";
  return memory[0] == memory[1] && memory[0] == memory[2] ? digest_of(memory[0]) : "they differ";
}

bool finds(Assembly const& assembly, std::string const& code) {
  Bytes memory = memory_of(assembly, 1);
  std::vector<LintFinding> found = lint(assembly.configuration, assembly.stream, memory);
  return std::ranges::any_of(found, [&](LintFinding const& one) { return one.code == code; });
}

bool loads(Assembly const& assembly, Memory memory, uint32_t rows) {
  return std::ranges::any_of(assembly.stream, [&](Instruction const& i) {
    return i.opcode == Opcode::kLoad && i.transfer.memory == memory && i.transfer.y_size >= rows;
  });
}

}  // namespace

class UpstreamTest : public QObject {
  Q_OBJECT
private slots:
  void the_published_hardware_leaves_the_same_or_cannot_run_it() {
    int equal = 0, refused = 0;
    for (Row const& row : rows()) {
      Assembly assembly = stream_for(row.name, "pynq");
      std::string left = left_by(assembly, row.seed);
      bool cannot = loads(assembly, Memory::kAccByte, 1) || loads(assembly, Memory::kUop, 2);
      QVERIFY2(left == (cannot ? "not_in_design" : row.hardware),
               qPrintable(row.name + ": " + QString::fromStdString(left)));
      ++(cannot ? refused : equal);
    }
    qInfo("%d of %zu equal, %d refused", equal, rows().size(), refused);
    QCOMPARE(size_t(equal + refused), rows().size());
    QVERIFY(equal >= 98 && rows().size() == 107);
  }

  /// It has no memory OUT: what is only loaded into ACC is stored, too.
  void the_functional_simulator_leaves_the_same_but_of_old_outputs() {
    int equal = 0;
    for (Row const& row : rows()) {
      Assembly assembly = stream_for(row.name, "sim");
      bool same = left_by(assembly, row.seed) == row.functional;
      bool old = finds(assembly, "stale_out") && row.name == "uop_rows";
      QVERIFY2(same != old, qPrintable(row.name));
      equal += same;
    }
    QCOMPARE(equal, 106);
  }

  void where_they_differ_lint_says_why() {
    int differ = 0;
    for (Row const& row : rows()) {
      if (row.functional == row.hardware) continue;
      ++differ;
      for (char const* like : {"pynq", "sim"}) {
        Assembly assembly = stream_for(row.name, like);
        bool said = finds(assembly, "acc_byte_load") || finds(assembly, "pad_only_load") ||
                    finds(assembly, "micro_op_rows");
        QVERIFY2(said, qPrintable(row.name));
      }
    }
    QCOMPARE(differ, 6);
  }

  void a_design_says_what_it_cannot_do() {
    Assembly assembly = stream_for("pynq_conv_16x13x13_16_3x3_s2_residual", "pynq");
    Bytes memory = memory_of(assembly, 7);
    auto run = run_behavioural(assembly.configuration, assembly.stream, memory);
    QVERIFY(!run && run.error().message.ends_with(
                        "the design pynq cannot load bytes into acc (acc8 = no): it would load "
                        "nothing"));
    QVERIFY(finds(assembly, "not_in_design"));
    QVERIFY(!finds(stream_for("pynq_conv_16x13x13_16_3x3_s2_residual", "sim"), "not_in_design"));
  }
};

QTEST_GUILESS_MAIN(UpstreamTest)
#include "upstream_test.moc"
