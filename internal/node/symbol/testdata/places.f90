! Procedures in a module, in another, and alone.
module place
contains
  subroutine store(n)
    integer, intent(in) :: n
    call inner(n) ! in store
    print *, n
  contains
    subroutine inner(n)
      integer, intent(in) :: n
      print *, n + 1 ! in inner
    end subroutine inner
  end subroutine store
end module place

subroutine alone(n)
  use place
  integer, intent(in) :: n
  call store(n) ! in alone
  print *, n
end subroutine alone

program heat
  call alone(3) ! in heat
  print *, 4
end program heat
