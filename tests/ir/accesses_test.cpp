// What a block reads and writes, where in it and under which conditions.
#include "engine/ir/accesses.h"

#include <QtTest>

#include "engine/ir/text.h"

using namespace tw;

namespace {

QString words(ir::BlockAccess const& access) {
  static char const* const kKinds[] = {"reads", "writes", "hints"};
  static char const* const kParts[] = {"header", "body", "init"};
  QStringList indices, conditions;
  for (ir::Expr const& index : access.indices) indices << ir::to_text(index).c_str();
  for (ir::Expr const& one : access.conditions) conditions << ir::to_text(one).c_str();
  QString line = QString("%1 %2 %3[%4]")
                     .arg(kParts[int(access.part)], kKinds[int(access.kind)],
                          access.buffer->name.c_str(), indices.join(", "));
  return conditions.isEmpty() ? line : line + " where " + conditions.join(" and ");
}

/// Of the first block.
QStringList accesses(std::string const& nest) {
  auto program = ir::parse_program(
      "tilewright program 1\n"
      "program p(X: f32[8], I: i64[8]) -> (Y: f32[8])\n" +
      nest);
  if (!program) return {QString::fromStdString(to_sentence(program.error()))};
  QStringList lines;
  for (ir::BlockAccess const& access : ir::accesses_of(*ir::blocks_of(program->body).front().block))
    lines << words(access);
  return lines;
}

}  // namespace

class AccessesTest : public QObject {
  Q_OBJECT
private slots:
  void indices_speak_of_loops_and_writes_come_first() {
    QCOMPARE(accesses("  for i in 4\n"
                      "    block Y(v: 8 = i*2)\n"
                      "      Y[v] = X[v+1]\n"),
             (QStringList{"body writes Y[i*2]", "body reads X[i*2+1]"}));
  }

  void a_read_comes_before_those_in_its_indices() {
    QCOMPARE(accesses("  for i in 8\n"
                      "    block Y(v: 8 = i)\n"
                      "      Y[v] = X[I[v]]\n"),
             (QStringList{"body writes Y[i]", "body reads X[I[i]]", "body reads I[i]"}));
  }

  void header_and_init_are_told_from_the_body() {
    QCOMPARE(accesses("  for i in 8\n"
                      "    for k in 8\n"
                      "      block Y(v: 8 = i, reduce r: 8 = k) if I[i] < 8\n"
                      "        init Y[v] = 0.0\n"
                      "        Y[v] = Y[v]+X[r]\n"),
             (QStringList{"header reads I[i]", "body writes Y[i]", "body reads Y[i]",
                          "body reads X[k]", "init writes Y[i]"}));
  }

  void the_sides_of_a_select_have_its_condition_and_the_opposite() {
    QCOMPARE(accesses("  for i in 8\n"
                      "    block Y(v: 8 = i)\n"
                      "      Y[v] = select(v < 4, X[v], X[v-4])\n"),
             (QStringList{"body writes Y[i]", "body reads X[i] where i < 4",
                          "body reads X[i-4] where 4 <= i"}));
  }

  void what_depends_on_data_is_no_condition() {
    QCOMPARE(accesses("  for i in 8\n"
                      "    block Y(v: 8 = i)\n"
                      "      Y[v] = select(I[v] < 4, X[v], 0.0)\n"),
             (QStringList{"body writes Y[i]", "body reads I[i]", "body reads X[i]"}));
  }

  void a_hint_does_not_read_its_element_but_what_its_index_reads() {
    QCOMPARE(accesses("  for i in 8\n"
                      "    block Y(v: 8 = i)\n"
                      "      prefetch X[I[v]]\n"),
             (QStringList{"body hints X[I[i]]", "body reads I[i]"}));
  }
};

QTEST_GUILESS_MAIN(AccessesTest)
#include "accesses_test.moc"
