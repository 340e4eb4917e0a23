; RUN: not convcheck verify %s | FileCheck %s

; Whatever is called here returns a token, so it is an intrinsic. Which one, the text does not say.

; CHECK: error[S-DIRECT]
; CHECK: {{^}}1 error in 1 function

define void @through_a_pointer(ptr %intrinsic) {
  %token = call token %intrinsic()
  ret void
}


