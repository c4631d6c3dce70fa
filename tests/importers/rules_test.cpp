#include <QtTest>

#include <set>

#include "engine/graph/control.h"
#include "engine/importers/converter.h"
#include "engine/importers/model_format.h"

namespace tw {
namespace {

using Rules = std::vector<std::pair<std::string, Converter const*>>;

/// Of every format, with words that name the rule.
Rules all_rules() {
  Rules rules;
  for (ModelFormat const* format : format_table())
    for (ConverterList const* list : format->rules().lists)
      for (Converter const& rule : *list)
        rules.push_back({format->name + " " + rule.domain + " " + rule.type, &rule});
  return rules;
}

}  // namespace

class RulesTest : public QObject {
  Q_OBJECT
private slots:
  void a_rule_has_one_operator_or_a_body_and_stands_once() {
    std::set<std::string> seen;
    for (auto const& [name, rule] : all_rules()) {
      QVERIFY2(seen.insert(name).second, name.c_str());
      bool known = find_operator(rule->op) || find_control(rule->op);
      QVERIFY2(known == !rule->op.empty(), (name + ": there is no operator " + rule->op).c_str());
      QVERIFY2(known == bool(rule->convert), (name + " has an operator and no conversion").c_str());
      QVERIFY2(known || rule->function, name.c_str());
      if (rule->function)
        QVERIFY2(rule->function->body && !rule->function->doc.empty() &&
                     rule->function->doc.back() == '.',
                 name.c_str());
    }
    QVERIFY(seen.size() > 130);
  }

  void the_graphs_of_a_control_operator_are_named_one_by_one() {
    for (auto const& [name, rule] : all_rules()) {
      ControlOperator const* control = find_control(rule->op);
      QVERIFY2(rule->bodies.size() == (control ? control->bodies.size() : 0), name.c_str());
    }
  }
};

}  // namespace tw

using tw::RulesTest;
QTEST_GUILESS_MAIN(RulesTest)
#include "rules_test.moc"
