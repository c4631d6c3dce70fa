// Describing a machine from what its kernel says, also when it says little or nonsense.
#include "targets/cpu/hardware/detect.h"

#include <QtTest>
#include <fstream>

#include "targets/cpu/compiler/cpu_targets.h"

using namespace tw;

namespace {

constexpr char kZen4[] =
    "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\n"
    "model name\t: AMD EPYC 9354\nflags\t\t: fpu pni ssse3 sse4_1 sse4_2 popcnt cx16 movbe abm avx "
    "fma avx2 bmi1 bmi2 avx512f avx512bw avx512vl\n\nprocessor\t: 1\nmodel name\t: second\n";
constexpr char kUnknown[] =
    "processor\t: 0\nvendor_id\t: Somebody\nmodel name\t: Fast One\n"
    "flags\t\t: fpu pni ssse3 sse4_1 sse4_2 popcnt cx16 movbe abm avx fma avx2 bmi1 bmi2\n";
constexpr char kArm[] =
    "processor\t: 0\nBogoMIPS\t: 50\nFeatures\t: fp asimd asimddp asimdhp\nCPU part\t: 0xd0c\n";

void write(std::filesystem::path const& path, char const* text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text << "\n";
}

void write_cache(std::filesystem::path const& folder, char const* type, char const* level,
                 char const* size, char const* shared) {
  write(folder / "type", type);
  write(folder / "level", level);
  write(folder / "size", size);
  write(folder / "coherency_line_size", "64");
  write(folder / "shared_cpu_list", shared);
}

}  // namespace

class DetectTest : public QObject {
  Q_OBJECT
private slots:
  void this_machine_has_a_name_cores_caches_and_memory() {
    Hardware host = detect_host();
    qInfo("%s, %s, %d-byte vectors, %d cores", host.name.c_str(), host.word(kProcessor).c_str(),
          host.unit().vector_bytes, host.unit().count);
    QVERIFY(!host.name.empty() && !host.word(kProcessor).empty() && !host.word(kTriple).empty());
    QVERIFY(host.unit().count >= 1 && host.unit().vector_bytes >= 16 &&
            host.main_memory_bytes() > 1 << 20);
    QVERIFY(host.memory("L1") != nullptr);
    QVERIFY(host.memory("L9") == nullptr);
    QCOMPARE(fingerprint(host), fingerprint(detect_host()));
  }

  void the_first_processors_model_gives_the_code_generators_name() {
    Hardware zen4 = describe_processor(kZen4, "/nonexistent");
    QCOMPARE(QString::fromStdString(zen4.name), QString("AMD EPYC 9354"));
    QCOMPARE(QString::fromStdString(zen4.word(kProcessor)), QString("znver4"));
    QCOMPARE(zen4.unit().vector_bytes, 64);
    QCOMPARE(zen4.unit().vector_registers, 32);
    QVERIFY(zen4.word(kFeatures).find("+avx512f") != std::string::npos);
    QVERIFY(zen4.word(kFeatures).find("-avx512bf16") != std::string::npos);  // hidden, so not used
  }

  void people_are_told_the_short_words_alone() {
    Hardware zen4 = describe_processor(kZen4, "/nonexistent");
    QCOMPARE(QString::fromStdString(cpu_kind(zen4)), QString("znver4"));  // nobody gave a triple
    zen4.code[kTriple] = "x86_64-linux-gnu";
    QCOMPARE(QString::fromStdString(cpu_kind(zen4)), QString("znver4, x86_64-linux-gnu"));
    QVERIFY(!zen4.word(kFeatures).empty());
  }

  void an_unknown_model_gets_the_level_its_flags_allow() {
    Hardware unknown = describe_processor(kUnknown, "/nonexistent");
    QCOMPARE(QString::fromStdString(unknown.word(kProcessor)), QString("x86-64-v3"));
    QCOMPARE(unknown.unit().vector_bytes, 32);
  }

  void an_arm_machine_has_neon() {
    Hardware arm = describe_processor(kArm, "/nonexistent");
    QCOMPARE(QString::fromStdString(arm.word(kFeatures)), QString("+neon,+dotprod,+fullfp16"));
    QCOMPARE(arm.unit().vector_bytes, 16);
    arm = describe_processor("Features\t: fp asimd asimddp i8mm\nCPU part\t: 0xd49\n", "/none");
    QCOMPARE(QString::fromStdString(arm.word(kFeatures)), QString("+neon,+dotprod,+i8mm"));
  }

  void an_arm_machine_of_32_bits_says_what_it_lacks() {
    Hardware arm = describe_processor(
        "processor\t: 0\nFeatures\t: half thumb vfp neon vfpv4 idiva\nCPU part\t: 0xd03\n",
        "/nonexistent");
    QCOMPARE(QString::fromStdString(arm.word(kFeatures)), QString("+neon,+vfp4,+hwdiv-arm"));
    QCOMPARE(arm.unit().vector_registers, 16);
    arm = describe_processor("Features\t: half thumb vfp\nCPU part\t: 0xc05\n", "/nonexistent");
    QCOMPARE(QString::fromStdString(arm.word(kFeatures)), QString("-neon,-vfp4"));
    QCOMPARE(arm.unit().vector_bytes, 8);
  }

  void nothing_known_is_a_cautious_machine() {
    for (char const* text : {"", "\n\n\n", ":::\n: :\n", "flags"}) {
      Hardware nothing = describe_processor(text, "/nonexistent");
      QCOMPARE(QString::fromStdString(nothing.word(kProcessor)), QString("generic"));
      QCOMPARE(nothing.unit().vector_bytes, 16);
      QCOMPARE(nothing.caches().size(), size_t(2));
    }
  }

  void caches_are_sorted_and_instruction_caches_left_out() {
    QTemporaryDir folder;
    std::filesystem::path root = folder.path().toStdString();
    write_cache(root / "index0", "Unified", "3", "32768K", "0-7,16-23");
    write_cache(root / "index1", "Instruction", "1", "32K", "0");
    write_cache(root / "index2", "Data", "1", "48K", "0");
    write_cache(root / "index3", "Unified", "2", "1M", "0,16");
    write_cache(root / "index4", "Unified", "9999999999999", "nonsense", "x-y,,");
    Hardware machine = describe_processor(kZen4, root);
    std::vector<MemoryLevel> expected = {
        {"L1", 48 << 10, 64, 1}, {"L2", 1 << 20, 64, 2}, {"L3", 32 << 20, 64, 16}};
    QVERIFY(machine.memories == expected);
  }
};

QTEST_GUILESS_MAIN(DetectTest)
#include "detect_test.moc"
