// An exported model inside of other programs: their memory, their build systems, several of it in
// one process, loaded and unloaded.
#include <dlfcn.h>

#include <QtTest>
#include <fstream>
#include <set>
#include <thread>

#include "engine/runtime/cores.h"
#include "engine/runtime/package/dlpack.h"
#include "engine/runtime/package/parameters.h"
#include "engine/runtime/tilewright.h"
#include "engine/samples/samples.h"
#include "engine/support/files.h"
#include "tests/package/exports.h"
#include "tests/package/tiny_export.h"
#include "tests/support/line_models.h"
#include "tests/support/sanitized.h"

using namespace tw;
using namespace tw::testing;
namespace fs = std::filesystem;

namespace {

constexpr char kInstrumented[] = "an instrumented runtime needs the sanitizer's own library";

/// A tensor of the test's own, which counts how often it was given back.
struct Own {
  std::vector<float> values;
  std::vector<int64_t> shape, strides;
  int given_back = 0;
  dlpack::Managed managed;

  explicit Own(std::vector<int64_t> extents) : shape(std::move(extents)) {
    int64_t count = 1;
    for (int64_t extent : shape) count *= extent;
    values.resize(size_t(count));
    managed.view = {.data = values.data(),
                    .rank = int32_t(shape.size()),
                    .type = {2, 32, 1},
                    .shape = shape.data()};
    managed.context = this;
    managed.deleter = [](dlpack::Managed* it) { ++static_cast<Own*>(it->context)->given_back; };
  }
  DLManagedTensor* tensor() { return reinterpret_cast<DLManagedTensor*>(&managed); }
};

dlpack::Managed* managed(DLManagedTensor* tensor) {
  return reinterpret_cast<dlpack::Managed*>(tensor);
}

int threads_of_this_process() {
  return int(QDir("/proc/self/task").entryList(QDir::Dirs | QDir::NoDotAndDotDot).size());
}

/// Of each thread but the test's own: the cores that it may use, as the system writes them.
std::multiset<QString> cores_of_other_threads() {
  std::multiset<QString> cores;
  for (QString const& task : QDir("/proc/self/task").entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
    if (task.toLongLong() == QCoreApplication::applicationPid()) continue;
    QFile status("/proc/self/task/" + task + "/status");
    if (!status.open(QIODevice::ReadOnly)) continue;
    for (QByteArray const& line : status.readAll().split('\n'))
      if (line.startsWith("Cpus_allowed_list:")) cores.insert(line.mid(18).trimmed());
  }
  return cores;
}

}  // namespace

class EmbeddingTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    export_model_to(tiny_network(), work(), at("tiny"));
    export_model_to(
        model_of({"y = Relu x", "z = Identity y", "u = Identity x"}, {2, 3}, {"y", "z", "u"}),
        work(), at("aliases"));
  }

  void the_callers_memory_takes_the_place_of_the_models() {
    TwModel* model = loaded("tiny");
    Own input({1, 3, 17, 17}), output({1, 5});
    std::string stored = read_file(at("tiny") / "test/input_0.bin").value();
    std::string expected = read_file(at("tiny") / "test/output_0.bin").value();
    std::memcpy(input.values.data(), stored.data(), stored.size());
    QVERIFY2(tw_use_input(model, 0, input.tensor()) == 0, tw_error());
    QVERIFY2(tw_use_output(model, 0, output.tensor()) == 0, tw_error());
    QCOMPARE(tw_input_data(model, 0), static_cast<void*>(input.values.data()));
    QCOMPARE(tw_output_data(model, 0), static_cast<void const*>(output.values.data()));
    QVERIFY(tw_run(model) == 0);
    for (int i = 0; i < 5; ++i)
      QVERIFY(std::abs(double(output.values[size_t(i)]) - tw_value(expected.data(), TW_F32, i)) <
              1e-3);
    // Its own memory again: what the caller has is no longer touched, and was given back once.
    QVERIFY(tw_use_output(model, 0, nullptr) == 0);
    QCOMPARE(output.given_back, 1);
    float kept = output.values[0];
    input.values.assign(input.values.size(), 0);
    QVERIFY(tw_run(model) == 0);
    QCOMPARE(output.values[0], kept);
    QVERIFY(tw_value(tw_output_data(model, 0), TW_F32, 0) != double(kept));
    QCOMPARE(input.given_back, 0);
    tw_free(model);
    QCOMPARE(input.given_back, 1);
    QCOMPARE(output.given_back, 1);
  }

  void outputs_without_a_place_of_their_own_are_copied() {
    TwModel* model = loaded("aliases");
    Own input({2, 3}), outputs[] = {Own({2, 3}), Own({2, 3}), Own({2, 3})};
    input.values = {-1, 2, -3, 4, -5, 6};
    QVERIFY(tw_use_input(model, 0, input.tensor()) == 0);
    for (int i = 0; i < 3; ++i) QVERIFY(tw_use_output(model, i, outputs[i].tensor()) == 0);
    QVERIFY2(tw_run(model) == 0, tw_error());
    std::vector<float> positive{0, 2, 0, 4, 0, 6};
    QCOMPARE(outputs[0].values, positive);
    QCOMPARE(outputs[1].values, positive);
    QCOMPARE(outputs[2].values, input.values);
    tw_free(model);
  }

  void a_tensor_that_does_not_fit_is_refused_and_stays_the_callers() {
    TwModel* model = loaded("tiny");
    void* before = tw_input_data(model, 0);
    auto refused = [&](Own& own, QString const& why) {
      QVERIFY(tw_use_input(model, 0, own.tensor()) != 0);
      QCOMPARE(QString(tw_error()), "'input' is f32[1x3x17x17]; the given tensor " + why);
      QCOMPARE(own.given_back, 0);
      QCOMPARE(tw_input_data(model, 0), before);
    };
    auto shape = [] { return std::vector<int64_t>{1, 3, 17, 17}; };
    Own small({1, 3, 17}), wide({1, 3, 17, 18}), type(shape()), far(shape()), strided(shape());
    refused(small, "is f32[1x3x17]");
    refused(wide, "is f32[1x3x17x18]");
    type.managed.view.type = {0, 64, 1};
    refused(type, "is i64[1x3x17x17]");
    far.managed.view.device = {2, 0};
    refused(far, "is not in the processor's memory");
    strided.strides = {3 * 17 * 17, 1, 3 * 17, 3};
    strided.managed.view.strides = strided.strides.data();
    refused(strided, "is not dense and row-major");
    Own crooked(shape()), nothing(shape());
    crooked.managed.view.byte_offset = 2;
    refused(crooked, "is not aligned to its elements");
    nothing.managed.view.data = nullptr;
    refused(nothing, "is null");
    Own spelled(shape());
    spelled.strides = {7, 17 * 17, 17, 1};  // that of an extent of 1 means nothing
    spelled.managed.view.strides = spelled.strides.data();
    QVERIFY2(tw_use_input(model, 0, spelled.tensor()) == 0, tw_error());
    QVERIFY(tw_use_input(model, 1, small.tensor()) != 0);
    QCOMPARE(QString(tw_error()), QString("there is no input 1: the model has 1"));
    tw_free(model);
  }

  void a_lent_tensor_outlives_the_model() {
    TwModel* model = loaded("tiny");
    QVERIFY(tw_run(model) == 0);
    double first = tw_value(tw_output_data(model, 0), TW_F32, 0);
    dlpack::Managed* lent = managed(tw_output_tensor(model, 0));
    QVERIFY(lent && lent->view.rank == 2 && lent->view.shape[1] == 5 && !lent->view.strides);
    QVERIFY(lent->view.type.code == 2 && lent->view.type.bits == 32 && lent->view.type.lanes == 1);
    QCOMPARE(lent->view.data, const_cast<void*>(tw_output_data(model, 0)));
    QVERIFY(!tw_output_tensor(model, 9) && !tw_input_tensor(model, -1));
    tw_free(model);
    QCOMPARE(tw_value(lent->view.data, TW_F32, 0), first);
    lent->deleter(lent);
  }

  void numpy_reads_and_gives_tensors_of_the_same_layout() {
    if (kSanitized) QSKIP(kInstrumented);
    char const* asks = "import numpy; numpy.from_dlpack";
    if (run(work(), "/usr/bin/python3", {"-c", asks}).code != 0)
      QSKIP("/usr/bin/python3 has no numpy with from_dlpack (Debian's python3-numpy)");
    std::ofstream(at("tiny") / "share.py") << R"(
import ctypes, numpy
library = ctypes.CDLL("./libtilewright_runtime.so.1")
for name in ("tw_load", "tw_output_tensor", "tw_input_tensor", "tw_error"):
    getattr(library, name).restype = ctypes.c_void_p
api = ctypes.pythonapi
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
api.PyCapsule_GetPointer.restype = ctypes.c_void_p
api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
class Lent:
    def __init__(self, tensor): self.tensor = tensor
    def __dlpack__(self, **_): return api.PyCapsule_New(self.tensor, b"dltensor", None)
    def __dlpack_device__(self): return (1, 0)
model = ctypes.c_void_p(library.tw_load(b".", 1))
given = numpy.fromfile("test/input_0.bin", numpy.float32).reshape(1, 3, 17, 17)
capsule = given.__dlpack__()
tensor = ctypes.c_void_p(api.PyCapsule_GetPointer(capsule, b"dltensor"))
assert library.tw_use_input(model, 0, tensor) == 0, ctypes.string_at(library.tw_error())
used = b"used_dltensor"
api.PyCapsule_SetName(capsule, used)
assert library.tw_run(model) == 0
output = numpy.from_dlpack(Lent(library.tw_output_tensor(model, 0)))
stored = numpy.fromfile("test/output_0.bin", numpy.float32).reshape(1, 5)
assert output.dtype == numpy.float32 and numpy.allclose(output, stored, atol=1e-3), output
back = numpy.from_dlpack(Lent(library.tw_input_tensor(model, 0)))
assert back.ctypes.data == given.ctypes.data
library.tw_free(model)
del back
assert numpy.allclose(output, stored, atol=1e-3)
print("shared")
)";
    Ran ran = run(at("tiny"), "/usr/bin/python3", {"share.py"});
    QVERIFY2(ran.code == 0 && ran.output.endsWith("shared\n"), qPrintable(ran.output));
  }

  void loads_of_one_folder_share_its_weights() {
    auto description =
        package::parse_description(read_file(at("tiny") / "model.json").value()).value();
    fs::path copy = at("weights.bin");
    fs::copy_file(at("tiny") / "parameters.bin", copy);
    using package::Parameters;
    auto first = Parameters::load(copy, description.parameters).value();
    auto second = Parameters::load(copy, description.parameters).value();
    QCOMPARE(first->data(), second->data());
    // Another file of the same name, as a later export leaves it.
    fs::rename(copy, at("was.bin"));
    fs::copy_file(at("tiny") / "parameters.bin", copy);
    auto third = Parameters::load(copy, description.parameters).value();
    QVERIFY(third->data() != first->data());
    // Damaged in place: what is loaded is whole, a new load notices.
    std::fstream(copy, std::ios::in | std::ios::out | std::ios::binary) << "damage";
    QVERIFY(!Parameters::load(copy, description.parameters));
    QCOMPARE(std::memcmp(first->data(), third->data(), size_t(description.parameters.bytes)), 0);
    std::weak_ptr<Parameters const> gone = third;
    third.reset();
    QVERIFY(gone.expired());
  }

  void two_models_of_one_folder_hold_its_weights_once() {
    auto mapped = [] {
      // Read-only memory of no file.
      int64_t bytes = 0;
      std::ifstream maps("/proc/self/maps");
      for (std::string line; std::getline(maps, line);) {
        uint64_t from = 0, to = 0;
        char rights[5] = {}, device[16] = {};
        if (std::sscanf(line.c_str(), "%lx-%lx %4s %*s %15s", &from, &to, rights, device) == 4 &&
            std::string(rights) == "r--p" && std::string(device) == "00:00")
          bytes += int64_t(to - from);
      }
      return bytes;
    };
    TwModel* first = loaded("tiny");
    int64_t with_one = mapped();
    TwModel* second = loaded("tiny");
    QCOMPARE(mapped(), with_one);
    QVERIFY(tw_run(first) == 0 && tw_run(second) == 0);
    tw_free(first);
    QVERIFY(tw_run(second) == 0);
    tw_free(second);
  }

  void workers_of_two_models_stay_on_different_cores() {
    if (usable_cores().size() < 2) QSKIP("this machine has one core");
    std::multiset<QString> before = cores_of_other_threads();
    TwModel* first = tw_load(at("tiny").c_str(), 2);
    TwModel* second = tw_load(at("tiny").c_str(), 2);
    QVERIFY(first && second && tw_run(first) == 0 && tw_run(second) == 0);
    std::multiset<QString> after = cores_of_other_threads();
    for (QString const& cores : before) after.erase(after.find(cores));
    QCOMPARE(after.size(), size_t(2));
    QVERIFY2(*after.begin() != *after.rbegin(), qPrintable(*after.begin()));
    tw_free(first);
    tw_free(second);
  }

  void the_library_is_gone_when_it_is_closed() {
    if (kSanitized) QSKIP(kInstrumented);
    int threads = threads_of_this_process();
    QString wrong;
    // In a thread that goes on: what the library leaves for its end would hold the library.
    std::thread user([&] {
      fs::path path = at("tiny") / "libtilewright_runtime.so.1";
      for (int round = 0; round < 3 && wrong.isEmpty(); ++round) {
        void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!library) return void(wrong = dlerror());
        auto load = reinterpret_cast<decltype(&tw_load)>(dlsym(library, "tw_load"));
        auto work = reinterpret_cast<decltype(&tw_run)>(dlsym(library, "tw_run"));
        auto end = reinterpret_cast<decltype(&tw_free)>(dlsym(library, "tw_free"));
        auto error = reinterpret_cast<decltype(&tw_error)>(dlsym(library, "tw_error"));
        if (load("/nowhere", 1) || QString(error()).isEmpty()) wrong = "no error";
        TwModel* model = load(at("tiny").c_str(), 2);
        if (!model || work(model) != 0) wrong = error();
        end(model);
        if (threads_of_this_process() != threads + 1) wrong = "threads are left";
        dlclose(library);
        if (dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD)) wrong = "the library is still there";
      }
    });
    user.join();
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
  }

  void a_module_runs_where_proc_is_not_mounted() {
    if (kSanitized) QSKIP(kInstrumented);
    QString hidden = "mount -t tmpfs none /proc && ! ls /proc/self 2>/dev/null && ";
    QStringList apart{"-m", "sh", "-c", hidden + "echo hidden"};
    if (!run(at("tiny"), "/usr/bin/unshare", apart).output.endsWith("hidden\n")) {
      apart.prepend("-r");  // as an ordinary user
      if (!run(at("tiny"), "/usr/bin/unshare", apart).output.endsWith("hidden\n"))
        QSKIP("this system lets nobody hide /proc");
    }
    // The system's loader finds $ORIGIN by way of /proc, too.
    apart.last() = hidden + "LD_LIBRARY_PATH=. ./example --rounds 1 --threads 1";
    Ran ran = run(at("tiny"), "/usr/bin/unshare", apart);
    QVERIFY2(ran.code == 0 && ran.output.endsWith("the outputs are the stored ones\n"),
             qPrintable(ran.output));
    // Nowhere to put a file, either: that is said.
    QString nowhere = hidden +
                      "for f in /dev/shm /tmp /var/tmp; do mount -t tmpfs -o ro none $f; done; "
                      "LD_LIBRARY_PATH=${0%/*} exec \"$0\" --rounds 1 --threads 1";
    // Not where it would be hidden, wherever this was built.
    QTemporaryDir apart_from_those(QDir::homePath() + "/tilewright_without_proc_XXXXXX");
    fs::path elsewhere = fs::path(apart_from_those.path().toStdString()) / "tiny";
    fs::copy(at("tiny"), elsewhere, fs::copy_options::recursive);
    apart.last() = nowhere;
    apart << QString::fromStdString((elsewhere / "example").string());
    ran = run("/", "/usr/bin/unshare", apart);
    QVERIFY2(ran.code == 1 && ran.output.contains("/proc is not mounted, and no folder can hold a "
                                                  "file to load it from; /dev/shm: Read-only"),
             qPrintable(ran.output));
  }

  void build_systems_find_it_data() {
    QTest::addColumn<QString>("needs");
    QTest::addColumn<QString>("line");
    QTest::newRow("cmake") << "cmake"
                           << "cmake -S . -B b -Dtilewright_ROOT=\"$PWD/../tiny\" >log 2>&1 && "
                              "cmake --build b >>log 2>&1 || { cat log; exit 1; }; b/user";
    QTest::newRow("pkg-config")
        << "pkg-config"
        << "c++ user.cpp -o user $(PKG_CONFIG_PATH=$PWD/../tiny/pkgconfig pkg-config --cflags "
           "--libs tilewright) && ./user";
  }
  void build_systems_find_it() {
    QFETCH(QString, needs);
    QFETCH(QString, line);
    if (kSanitized) QSKIP(kInstrumented);
    if (QStandardPaths::findExecutable(needs).isEmpty() ||
        QStandardPaths::findExecutable("c++").isEmpty())
      QSKIP(qPrintable(needs + " or c++ is not installed"));
    fs::remove_all(at("user"));
    fs::create_directory(at("user"));
    std::ofstream(at("user") / "user.cpp")
        << "#include <tilewright.h>\n#include <cstdio>\nint main() {\n"
           "  TwModel* model = tw_load(\"../tiny\", 1);\n"
           "  std::puts(model ? tw_name(model) : tw_error());\n  tw_free(model);\n}\n";
    std::ofstream(at("user") / "CMakeLists.txt")
        << "cmake_minimum_required(VERSION 3.18)\nproject(user CXX)\n"
           "find_package(tilewright 1.0 CONFIG REQUIRED)\nadd_executable(user user.cpp)\n"
           "target_link_libraries(user PRIVATE tilewright::runtime)\n";
    Ran ran = run(at("user"), "/bin/sh", {"-c", line}, QProcessEnvironment::systemEnvironment());
    QVERIFY2(ran.code == 0 && ran.output.endsWith("tiny\n"), qPrintable(ran.output));
  }

  void one_version_is_written_everywhere() {
    std::string version = fmt_version();
    QVERIFY(contains("pkgconfig/tilewright.pc", "Version: " + version + "\n"));
    QVERIFY(contains("cmake/tilewright-config-version.cmake",
                     "set(PACKAGE_VERSION " + version + ")\n"));
    QCOMPARE(tw_api_version(), TW_API_VERSION);
    std::string soname = "libtilewright_runtime.so." + std::to_string(TW_API_VERSION);
    QVERIFY(fs::exists(at("tiny") / soname));
    QCOMPARE(fs::read_symlink(at("tiny") / "libtilewright_runtime.so").string(), soname);
    Ran ran =
        run(at("tiny"), "/usr/bin/readelf", {"-d", QString::fromStdString(soname), "example"});
    if (ran.code != 0) QSKIP("readelf is not installed");
    QVERIFY2(ran.output.contains(QString::fromStdString("soname: [" + soname + "]")) &&
                 ran.output.contains(QString::fromStdString("library: [" + soname + "]")),
             qPrintable(ran.output));
  }

  void the_readme_names_what_it_needs() {
    QVERIFY(contains("README.txt", "Linux with glibc 2."));
    QVERIFY(contains("README.txt", "libstdc++ with GLIBCXX_3.4."));
    QVERIFY(contains("README.txt", "/proc/self/fd; where /proc is not mounted"));
    QVERIFY(contains("README.txt", "less one (0: as many as cores)"));
  }

private:
  static std::string fmt_version() {
    return std::to_string(TW_API_VERSION) + "." + std::to_string(TW_API_REVISION);
  }
  bool contains(char const* file, std::string const& text) {
    return read_file(at("tiny") / file).value().find(text) != std::string::npos;
  }
  TwModel* loaded(char const* name) {
    TwModel* model = tw_load(at(name).c_str(), 1);
    if (!model) qFatal("%s", tw_error());
    return model;
  }
  fs::path work() const { return folder_.path().toStdString(); }
  fs::path at(std::string const& name) const { return work() / name; }

  QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(EmbeddingTest)
#include "embedding_test.moc"
