// Trees as text: they come back the same, and damage is a sentence.
#include "engine/learning/tree_text.h"

#include <fmt/format.h>

#include <QtTest>

#include "engine/support/base/hash.h"
#include "tests/learning/synthetic.h"

using namespace tw;

namespace {

TreeEnsemble two_trees() {
  CompleteTree tree{1, {{12, 0.1f, true}}, {-0.5f, 1e-30f}}, leaf{0, {}, {0.25f}};
  return TreeEnsemble::create(128, 0.3f, std::vector{tree, leaf}).value();
}

std::string with_end(std::string const& text) {
  return text + fmt::format("end {:016x}\n", Hasher().text(text).finish());
}

std::string sentence(std::string const& text) {
  auto found = parse_trees(text);
  return found ? std::string() : to_sentence(found.error());
}

}  // namespace

class TreeTextTest : public QObject {
  Q_OBJECT
private slots:
  void the_text_can_be_read_by_people() {
    std::string text = to_text(two_trees());
    QCOMPARE(text, with_end("tilewright trees 1\nfeatures 128\nbias 0.3\n"
                            "tree 1\n12<?0.1\n-0.5 1e-30\ntree 0\n\n0.25\n"));
  }

  void what_was_written_is_read_back_bit_for_bit() {
    Rng rng(8);
    for (int round = 0; round < 200; ++round) {
      std::vector<CompleteTree> each;
      for (int64_t count = rng.below(5); count > 0; --count) {
        CompleteTree tree{.depth = int(rng.below(7)), .splits = {}, .leaves = {}};
        for (int i = 0; i + 1 < 1 << tree.depth; ++i)
          tree.splits.push_back({uint32_t(rng.below(40)),
                                 float(rng.normal() * std::exp(20 * rng.normal())),
                                 rng.below(2) == 0});
        for (int i = 0; i < 1 << tree.depth; ++i) tree.leaves.push_back(float(rng.normal()));
        each.push_back(std::move(tree));
      }
      auto trees = TreeEnsemble::create(40, float(rng.normal()), each).value();
      auto again = parse_trees(to_text(trees));
      QVERIFY2(again, again ? "" : again.error().message.c_str());
      QVERIFY(*again == trees);
    }
  }

  void every_cut_and_every_changed_byte_is_refused() {
    std::string const text = to_text(two_trees());
    for (size_t size = 0; size < text.size(); ++size) QVERIFY(!parse_trees(text.substr(0, size)));
    for (size_t at = 0; at < text.size(); ++at)
      for (char bit = 1; bit > 0; bit = char(bit << 1)) {
        std::string changed = text;
        changed[at] = char(changed[at] ^ bit);
        QVERIFY2(!sentence(changed).empty(), changed.c_str());
      }
  }

  void what_is_wrong_is_said_with_its_line() {
    QCOMPARE(sentence("{}"), "these are no trees of a cost model");
    QCOMPARE(sentence("tilewright trees 2\n"),
             "the trees are of version '2', and only version 1 can be read");
    std::string const head = "tilewright trees 1\nfeatures 128\nbias 0.3\n";
    QCOMPARE(sentence("tilewright trees 1\nbias 1\n"),
             "line 2: the trees are damaged: a line 'features NUMBER' is missing");
    QCOMPARE(sentence("tilewright trees 1\nfeatures -1\n"),
             "line 2: the trees are damaged: there is no number behind 'features '");
    QCOMPARE(sentence(with_end(head + "tree x\n\n1\n")),
             "line 4: the trees are damaged: a tree has no depth");
    QCOMPARE(sentence(with_end(head + "tree 1\n12>4\n1 2\n")),
             "line 5: the trees are damaged: '12>4' is no split");
    QCOMPARE(sentence(with_end(head + "tree 0\n\none\n")),
             "line 6: the trees are damaged: 'one' is no leaf");
    QCOMPARE(sentence(with_end(head + "tree 1\n500<4\n1 2\n")),
             "tree 0 asks for feature 500 of 128");
    QCOMPARE(sentence(with_end(head + "tree 0\n\ninf\n")), "tree 0 has a leaf that is no number");
    QCOMPARE(sentence(head),
             "line 4: the trees are damaged: the end with the right hash is missing");
    QCOMPARE(sentence(with_end(head) + "more"),
             "line 4: the trees are damaged: there is more behind the end");
  }
};

QTEST_APPLESS_MAIN(TreeTextTest)
#include "tree_text_test.moc"
