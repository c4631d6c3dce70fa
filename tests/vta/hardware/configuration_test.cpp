// What an accelerator is: sizes that follow from logarithms, what cannot be built, files of boards.
#include <QtTest>

#include "targets/vta/hardware/boards.h"
#include "targets/vta/hardware/widths.h"

using namespace tw;
using namespace tw::vta;

namespace {

constexpr Memory kAll[] = {Memory::kUop, Memory::kWgt, Memory::kInp, Memory::kAcc, Memory::kOut};

std::string why_illegal(Configuration const& configuration) {
  auto legal = validate(configuration);
  return legal ? "" : legal.error().message;
}

}  // namespace

class ConfigurationTest : public QObject {
  Q_OBJECT
private slots:
  void the_first_board_is_pynq_with_the_published_sizes() {
    Configuration const& c = boards().front();
    QCOMPARE(c.name, std::string("pynq"));
    int64_t bytes[] = {4, 256, 16, 64, 16},
            sizes[] = {32 << 10, 256 << 10, 32 << 10, 128 << 10, 32 << 10};
    int64_t depths[] = {8192, 1024, 2048, 2048, 2048};
    for (size_t i = 0; i < 5; ++i) {
      QCOMPARE(c.element_bytes(kAll[i]), bytes[i]);
      QCOMPARE(c.buffer_bytes(kAll[i]), sizes[i]);
      QCOMPARE(c.depth(kAll[i]), depths[i]);
    }
    QCOMPARE(c.macs_per_cycle(), int64_t(256));
    QCOMPARE(c.peak_gops(), 51.2);
    QCOMPARE(c.key(), std::string("1x16_i8w8a32_15_15_18_17"));
  }

  void a_batch_of_four_has_as_many_products_and_the_same_depths() {
    Configuration const* c = find_board("pynq-4x8");
    QVERIFY(c);
    int64_t bytes[] = {4, 64, 32, 128, 32}, depths[] = {8192, 1024, 2048, 2048, 2048};
    for (size_t i = 0; i < 5; ++i) {
      QCOMPARE(c->element_bytes(kAll[i]), bytes[i]);
      QCOMPARE(c->depth(kAll[i]), depths[i]);
    }
    QCOMPARE(c->macs_per_cycle(), int64_t(256));
    QCOMPARE(c->key(), std::string("4x8_i8w8a32_15_16_16_18"));
  }

  void everything_that_is_broken_is_told_and_the_first_is_what_validation_says() {
    Configuration c;
    QVERIFY(violations(c).empty());
    c.log_uop_bytes = 17, c.log_acc_bytes = 19;
    std::vector<Error> broken = violations(c);
    QCOMPARE(broken.size(), size_t(4));
    QCOMPARE(broken[0].message, why_illegal(c));
    QVERIFY(broken[3].message.starts_with("the loops of a GEMM or ALU instruction"));
    c.clock_mhz = -1, c.log_block = 9, c.memory_bits = 48;
    broken = violations(c);  // nothing follows from what is out of range
    QCOMPARE(broken.size(), size_t(3));
    QVERIFY(broken[0].message.starts_with("log_block is 9"));
    QVERIFY(broken[1].message.starts_with("memory_bits is 48"));
    QVERIFY(broken[2].message.starts_with("clock_mhz is -1"));
    c = Configuration();
    c.log_block = 5, c.log_acc_bytes = 3, c.log_inp_bytes = 3;  // elements of 128 and 32 bytes
    broken = violations(c);
    QCOMPARE(broken.size(), size_t(3));  // inp, acc, and out with it
    auto read = parse_settings(to_text(c), "broken.vta");
    QVERIFY(read && *read == c);
    auto legal = parse_configuration(to_text(c), "broken.vta");
    QVERIFY(!legal);
    QCOMPARE(legal.error().place.file, std::string("broken.vta"));
  }

  void every_board_is_legal_and_survives_its_text() {
    QVERIFY(boards().size() >= 7);
    for (Configuration const& board : boards()) {
      QCOMPARE(why_illegal(board), std::string());
      auto again = parse_configuration(to_text(board));
      QVERIFY2(again, board.name.c_str());
      QVERIFY(*again == board);
      QCOMPARE(find_board(board.name), &board);
    }
    for (char const* name : {"ultra96", "zcu104", "de10nano", "sim", "sim-v2"})
      QVERIFY2(find_board(name), name);
    QVERIFY(!find_board("teapot"));
  }

  void larger_accumulators_do_not_fit_a_micro_op_of_32_bits() {
    Configuration c;
    c.log_acc_bytes = 18;
    QCOMPARE(why_illegal(c),
             std::string("the fields of a micro-op do not fit 32 bits: acc + max(acc, inp) + wgt = "
                         "12 + 12 + 10 = 34 > 32: make log_acc_bytes, log_inp_bytes or "
                         "log_wgt_bytes smaller"));
    c.isa = IsaVersion::kV2;
    QCOMPARE(why_illegal(c), std::string());
  }

  void the_immediate_of_an_alu_instruction_bounds_the_accumulators() {
    Configuration c;
    c.log_acc_bytes = 18, c.log_wgt_bytes = 15;
    QCOMPARE(why_illegal(c), std::string("the factors of an ALU instruction with its immediate do "
                                         "not fit 64 bits: 4 acc + 20 = 4 * 12 + 20 = 68 > 64: "
                                         "make log_acc_bytes smaller"));
  }

  void more_micro_ops_do_not_fit_the_range_of_an_instruction() {
    Configuration c;
    c.log_uop_bytes = 16;
    QCOMPARE(why_illegal(c),
             std::string("the loops of a GEMM or ALU instruction do not fit 64 bits: 8 + uop + "
                         "(uop + 1) + 28 = 8 + 14 + 15 + 28 = 65 > 64: make log_uop_bytes "
                         "smaller"));
    c.isa = IsaVersion::kV2;
    QCOMPARE(why_illegal(c), std::string());
  }

  void an_element_is_no_larger_than_a_page_and_whole_bytes() {
    Configuration c;
    c.log_block = 6, c.log_wgt_bytes = 20;
    QCOMPARE(why_illegal(c), std::string());
    c.log_batch = 5, c.log_acc_bytes = 20, c.log_inp_bytes = 20;
    QVERIFY(
        why_illegal(c).starts_with("an element of acc has 8192 bytes, which is more than a page"));
    c = {};
    c.log_block = 0, c.log_inp_bits = 2;
    QVERIFY(why_illegal(c).starts_with("an element of inp has 4 bits, which is no whole byte"));
  }

  void a_memory_has_at_least_two_elements() {
    Configuration c;
    c.log_wgt_bytes = 8;
    QCOMPARE(why_illegal(c), std::string("wgt holds less than two elements of 256 bytes: make "
                                         "log_wgt_bytes at least 9"));
  }

  void what_no_device_is_like_is_refused() {
    auto refused = [](auto change) {
      Configuration c;
      change(c);
      return !validate(c);
    };
    QVERIFY(refused([](Configuration& c) { c.log_block = -1; }));
    QVERIFY(refused([](Configuration& c) { c.log_uop_bytes = 60; }));
    QVERIFY(refused([](Configuration& c) { c.command_queue = 0; }));
    QVERIFY(refused([](Configuration& c) { c.token_queue = 1 << 30; }));
    QVERIFY(refused([](Configuration& c) { c.memory_bits = 96; }));
    QVERIFY(refused([](Configuration& c) { c.clock_mhz = 0; }));
    QVERIFY(refused([](Configuration& c) { c.clock_mhz = std::nan(""); }));
    QVERIFY(refused([](Configuration& c) { c.log_inp_bits = 4; }));
    QVERIFY(refused([](Configuration& c) { c.isa = IsaVersion(3); }));
  }

  /// Over all small configurations: whatever is accepted has fields that fit.
  void what_is_legal_fits_its_words() {
    int legal = 0;
    for (IsaVersion isa : {IsaVersion::kV1, IsaVersion::kV2})
      for (int acc = 6; acc <= 26; ++acc)
        for (int inp = 4; inp <= 26; inp += 2)
          for (int wgt = 8; wgt <= 26; wgt += 3)
            for (int uop = 3; uop <= 24; uop += 3) {
              Configuration c{.isa = isa};
              c.log_acc_bytes = acc, c.log_inp_bytes = inp, c.log_wgt_bytes = wgt;
              c.log_uop_bytes = uop;
              if (!validate(c)) continue;
              ++legal;
              Widths w = widths_of(c);
              QVERIFY(w.dst + w.uop_src + w.wgt <= w.uop_bits);
              QVERIFY(w.uop <= 27 && w.dst <= 21);
              if (isa == IsaVersion::kV1) QVERIFY(w.uop <= 13 && w.dst <= 11);
            }
    QVERIFY(legal > 1000);
  }

  void a_file_says_the_line_that_is_wrong() {
    auto why = [](std::string const& text) {
      auto read = parse_configuration(text, "board.vta");
      return read ? std::string() : to_sentence(read.error());
    };
    std::string head = "tilewright vta configuration 1\n";
    QCOMPARE(why("tilewright vta 1\n"),
             std::string("board.vta:1: the first line is not 'tilewright vta configuration 1'"));
    QCOMPARE(why(head + "# a comment\n\nlog_blok = 4\n"),
             std::string("board.vta:4: there is no setting 'log_blok'"));
    QCOMPARE(why(head + "log_block = four"),
             std::string("board.vta:2: 'four' is no whole number for log_block"));
    QCOMPARE(why(head + "log_block"), std::string("board.vta:2: a line is 'name = value'"));
    QCOMPARE(why(head + "isa = 3"), std::string("board.vta:2: '3' is no version (1 or 2) for isa"));
    QCOMPARE(why(head + "log_block = 99999999999999999999"),
             std::string("board.vta:2: '99999999999999999999' is no whole number for log_block"));
    std::string all = to_text(Configuration());
    auto with_block = [&](std::string const& line) {
      std::string text = all;
      return text.replace(text.find("log_block = 4"), 13, line);
    };
    QVERIFY(why(with_block("log_block=7"))
                .starts_with("board.vta: log_block is 7, which must be 0 to 6"));
    QCOMPARE(why(with_block("log_block=5 # thirty-two")), std::string());
    QVERIFY(!why("").empty());
  }

  void a_setting_is_there_once() {
    auto why = [](std::string const& text) {
      auto read = parse_configuration(text, "board.vta");
      return read ? std::string() : to_sentence(read.error());
    };
    std::string all = to_text(*find_board("pynq"));
    QCOMPARE(why(all), std::string());
    QCOMPARE(why(all + "log_block = 4\n"),
             std::string("board.vta:25: log_block is set a second time: the first is in line 8"));
    std::string without = all;
    without.erase(without.find("log_block = 4"), 14);
    QCOMPARE(why(without), std::string("board.vta: a setting is missing: log_block; `tw vta boards "
                                       "pynq` prints a whole file"));
    // However many lines of it are lost.
    for (size_t end = all.find('\n'); end + 1 < all.size(); end = all.find('\n', end + 1))
      QVERIFY2(why(all.substr(0, end + 1)).contains("missing: "), all.substr(0, end + 1).c_str());
  }

  void what_a_design_can_do_is_said_in_words() {
    auto why = [](std::string text, std::string const& from, std::string const& to) {
      text.replace(text.find(from), from.size(), to);
      auto read = parse_configuration(text, "board.vta");
      return read ? std::string() : read.error().message;
    };
    std::string all = to_text(*find_board("pynq"));
    QCOMPARE(why(all, "acc8 = no", "acc8 = yes"), std::string());
    QCOMPARE(why(all, "acc8 = no", "acc8 = 1"), std::string("'1' is no word (yes or no) for acc8"));
    QCOMPARE(why(all, "full_tokens = stall", "full_tokens = yes"),
             std::string("'yes' is no word (stall or lose) for full_tokens"));
    QCOMPARE(why(all, "shift_bits = 5", "shift_bits = 33"),
             std::string("shift_bits is 33, which must be 2 to 32: choose one of those"));
    QCOMPARE(why(all, "mul = no\n", ""),
             std::string("a setting is missing: mul; `tw vta boards pynq` prints a whole file"));
  }

  /// As published: bytes into ACC and products in the ALU are the functional simulator's alone.
  void boards_can_do_what_is_published_of_them() {
    for (Configuration const& board : boards()) {
      bool simulator = board.name.starts_with("sim");
      QCOMPARE(board.acc8, simulator);
      QCOMPARE(board.mul, simulator);
      QCOMPARE(board.shift_bits, simulator ? 32 : 5);
      QCOMPARE(board.tokens_stall, board.name != "de10nano");
    }
  }

  void any_processor_is_said() {
    QVERIFY(to_text(Configuration()).contains("\nprocessor = any\n"));
    auto read = parse_configuration(to_text(Configuration()));
    QVERIFY(read && read->processor.empty());
  }
};

QTEST_GUILESS_MAIN(ConfigurationTest)
#include "configuration_test.moc"
