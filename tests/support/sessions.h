/// Sessions and small kernels as tests of sessions and windows make them.
#pragma once

#include <QtTest>

#include <fstream>

#include "app/shared/environment.h"
#include "engine/session/session.h"
#include "tests/support/paths.h"

namespace tw::testing {

inline constexpr char kMatmul[] =
    "tilewright te 1\n"
    "kernel matmul(A: f32[96, 64], B: f32[64, 80]) -> C\n"
    "  C[i in 96, j in 80] = sum[k in 64] A[i, k] * B[k, j]\n";
inline constexpr char kSmall[] =
    "tilewright te 1\n"
    "kernel small(P: f32[40, 30], Q: f32[30, 20]) -> R\n"
    "  R[a in 40, b in 20] = sum[c in 30] P[a, c] * Q[c, b]\n";

/// On this machine, with the program that was built beside the tests.
inline session::Options session_options(bool measure, int threads = 2) {
  auto environment = make_environment().value();
  session::Options options;
  options.backend = environment.backend;
  options.device_program = testing::built("/bin/tw-device");
  options.cache_folder = environment.cache_folder.string();
  options.threads = threads;
  options.measure = measure;
  return options;
}
inline std::unique_ptr<session::Session> make_session(bool measure, int threads = 2) {
  return session::Session::create(session_options(measure, threads)).value();
}

/// A folder with the matrix product in it; `open` shows it in a session.
class MatmulFile {
public:
  MatmulFile() { std::ofstream(path()) << kMatmul; }
  std::string path() const { return folder_.filePath("matmul.te").toStdString(); }
  QTemporaryDir const& folder() const { return folder_; }
  void open(session::Session& session) const {
    QVERIFY(session.execute(session::OpenModel{path()}));
    QVERIFY(session.wait_idle(60));
    QVERIFY(session.snapshot().nest);
  }

private:
  QTemporaryDir folder_;
};

}  // namespace tw::testing
