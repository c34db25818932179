// How a composition comes to its result, as a tree of steps and as text.

#include <heddle/cute/explain.h>
#include <heddle/notation/cute.h>
#include <heddle/notation/explain.h>

#include <iostream>

int main() {
  const heddle::cute::Layout a = heddle::notation::parse_cute("(6,2):(8,2)").value();
  const heddle::cute::Layout b = heddle::notation::parse_cute("(4,3):(3,1)").value();
  const heddle::Explanation explanation = heddle::cute::explain_composition(a, b);
  for (const heddle::Explanation& step : explanation.steps) {
    std::cout << step.title.text << "  ->  " << step.result.text << "\n";
  }
  std::cout << heddle::notation::to_text(explanation);
}
