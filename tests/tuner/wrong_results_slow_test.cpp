// Candidates whose code computes something else: the faster ones would win every search. As many
// trials as TW_TRIALS says.
#include <QtTest>

#include "engine/compile/kernel_code.h"
#include "engine/device/local_device.h"
#include "engine/tuner/tune.h"
#include "tests/support/compiled.h"
#include "tests/support/paths.h"
#include "tests/support/random_schedules.h"
#include "tests/tuner/troubled_device.h"
#include "tests/tuner/tuned_kernels.h"

using namespace tw;
using namespace tw::testing;

namespace {

constexpr int kTrials = 300, kRound = 100;  // of a search
constexpr int kOneOf = 3;                   // candidates is another kernel

/// What the product could be by mistake, from far off to nearly right; none needs a workspace.
std::vector<std::string> mistakes() {
  auto kernel = [](std::string const& sum) {
    return "tilewright te 1\nkernel product(A: f32[96, 64], B: f32[64, 80]) -> C\n"
           "  C[i in 96, j in 80] = sum" +
           sum + "\n";
  };
  return {
      kernel("[k in 1] A[i, k] * B[k, j]"),
      kernel("[k in 63] A[i, k] * B[k, j]"),
      kernel("[k in 64] A[95 - i, k] * B[k, j]"),
      kernel("[k in 64] A[i, k] * B[k, j] * 1.01"),
      kernel("[k in 64] max(A[i, k] * B[k, j], 0)"),
      kernel("[k in 64] select(i * 80 + j < 7679, A[i, k] * B[k, j], 0)"),
      kernel("[k in 64] select(i == 40 && j == 3 && k == 7, A[i, k] * B[k, j] + 0.5, A[i, k] * "
             "B[k, j])"),
  };
}

std::vector<std::byte> library_of(std::string const& text) {
  ir::Program program = te::to_program(kernel_of(text.c_str())).value();
  return compile_kernel(program, *this_cpu(), CodeTier::kFast).value().run.library;
}

}  // namespace

class WrongResultsTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    device_ = std::make_unique<LocalDevice>(
        LocalDeviceOptions{.program = testing::built("/bin/tw-device")});
    kernel_ = kernel_of(kProduct);
    for (std::string const& mistake : mistakes()) wrong_.push_back(library_of(mistake));
  }

  void none_is_accepted_and_none_that_is_right_is_called_wrong() {
    int const trials = std::max(qEnvironmentVariableIntValue("TW_TRIALS"), kTrials);
    int done = 0, wrong = 0;
    for (uint64_t seed = 1; done < trials; ++seed) {
      auto [made, told] = searched(seed, std::min(kRound, trials - done));
      if (QTest::currentTestFailed()) return;
      done += made;
      wrong += told;
    }
    qInfo("%d trials, %d of them of other kernels; 0 of those accepted, 0 of the others refused",
          done, wrong);
  }

private:
  std::pair<int, int> searched(uint64_t seed, int trials) {
    Rng rng(seed);
    std::vector<NDArray> inputs = random_inputs(kernel_, rng);
    te::Expected expected = expected_of(kernel_, inputs);
    TroubledDevice device(*device_);
    device.in_one_call = true;
    std::vector<int> replaced;  ///< by which; -1: by none
    device.instead = [&](std::span<std::byte const> library) -> std::span<std::byte const> {
      // The first is the default schedule, without which there is no search.
      bool is_other = !replaced.empty() && rng.below(kOneOf) == 0;
      replaced.push_back(is_other ? int(rng.below(int64_t(wrong_.size()))) : -1);
      return is_other ? wrong_[size_t(replaced.back())] : library;
    };
    int wrong = 0;
    auto check = [&] {
      TuneOptions options{.trials = trials, .seed = seed};
      auto result = tune(space_of(kProduct), device, inputs, expected, options);
      QVERIFY2(result, result ? "" : to_sentence(result.error()).c_str());
      QVERIFY(result->attempts.size() <= replaced.size());
      for (size_t i = 0; i < result->attempts.size(); ++i) {
        bool told = result->attempts[i].outcome == records::Outcome::kWrong;
        QVERIFY2(told == (replaced[i] >= 0),
                 qPrintable(QString("seed %1, trial %2, kernel %3: %4")
                                .arg(seed)
                                .arg(i)
                                .arg(replaced[i])
                                .arg(QString::fromStdString(result->attempts[i].sentence))));
        wrong += told;
      }
      trials = int(result->attempts.size());
    };
    check();
    return {trials, wrong};
  }

  std::unique_ptr<LocalDevice> device_;
  te::Kernel kernel_;
  std::vector<std::vector<std::byte>> wrong_;
};

QTEST_GUILESS_MAIN(WrongResultsTest)
#include "wrong_results_slow_test.moc"
